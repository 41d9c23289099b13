"""What is left out, in words and as JSON."""

import pytest

from citemark.model.left_out import Exclusion, LeftOut, LeftOutGroup, LeftOutPath, LeftOutReason


def group(reason: LeftOutReason, files: int, where: str = "", *, more: bool = False) -> LeftOutGroup:
    return LeftOutGroup(Exclusion(reason, where), files, more, (LeftOutPath("a", files, more),))


@pytest.mark.requirement("left-out-counted")
def test_the_counts_are_said_by_reason() -> None:
    left_out = LeftOut(
        (
            group(LeftOutReason.FOLDER, 2000, "node_modules", more=True),
            group(LeftOutReason.IGNORED, 1204, ".gitignore"),
            group(LeftOutReason.TYPE, 5, ".png"),
            group(LeftOutReason.TYPE, 2),
            group(LeftOutReason.HIDDEN, 3),
            group(LeftOutReason.SECRET, 2),
            group(LeftOutReason.LOCK_FILE, 1),
        )
    )
    assert left_out.text == (
        "2,000+ in node_modules, 1,204 ignored by .gitignore, 7 of unread types (5 .png, 2 without suffix), 3 hidden, "
        "2 secrets, 1 lock file"
    )
    assert left_out.files == 3217
    assert left_out.by_settings.files == 3204
    assert LeftOut.from_json(left_out.as_json(examples=True)) == left_out


def test_every_reason_can_be_said() -> None:
    for reason in LeftOutReason:
        for files in (1, 2):
            assert str(files) in LeftOut((group(reason, files, "x"),)).text


def test_many_folders_are_summed_up_and_none_is_lost() -> None:
    left_out = LeftOut(tuple(group(LeftOutReason.FOLDER, 10, f"f{number}") for number in range(9)))
    assert left_out.text.endswith("10 in f5, 30 in 3 other folders of that kind")
