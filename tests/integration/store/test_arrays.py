"""What is written as an array is read back by the server as it was."""

from hypothesis import given, settings
from hypothesis import strategies as st

from citemark.store.database import Database, bytea_array, int_array, text_array

texts = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))


@settings(max_examples=60)
@given(
    said=st.lists(st.none() | texts | st.sampled_from(["NULL", "null", "\\", '"', "{a,b}", " a ", "\r\n\t"])),
    numbers=st.lists(st.integers(-(2**63), 2**63 - 1)),
    packed=st.lists(st.binary()),
)
async def test_arrays_are_read_back_as_they_were(
    database: Database, said: list[str | None], numbers: list[int], packed: list[bytes]
) -> None:
    row = await database.read_sql(
        "SELECT %(t)s::text[] AS t, %(n)s::bigint[] AS n, %(b)s::bytea[] AS b",
        {"t": text_array(said), "n": int_array(numbers), "b": bytea_array(packed)},
    )
    assert row[0] == {"t": said, "n": numbers, "b": packed}
