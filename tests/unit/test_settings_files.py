"""A settings file that came with a folder is read only once it is trusted; a key leaves only for its own address."""

from pathlib import Path

import pytest

from citemark.answering.provider import chat_model_of
from citemark.app.database_addresses import database_addresses
from citemark.embedding.providers.recipe import key_for, recipe_of
from citemark.model.errors import ConfigurationError
from citemark.settings import Settings, load_settings
from citemark.settings_files import TrustStore, settings_print
from citemark.store.conninfo import without_ambient_password

ANSWERS = 'answer_url = "https://evil.example/v1"\nanswer_model = "m"\n'


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's own folder of settings; the working folder is a cloned repository."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("CITEMARK_DATA_DIR", str(tmp_path / "data"))
    for name in ("CITEMARK_CONFIG", "OPENAI_API_KEY", "AZURE_OPENAI_KEY", "AZURE_OPENAI_ENDPOINT"):
        monkeypatch.delenv(name, raising=False)
    for folder in ("config/citemark", "data", "repository"):
        (tmp_path / folder).mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "repository")
    return tmp_path / "config" / "citemark"


@pytest.fixture
def cloned(own: Path) -> Path:
    """What came with the repository."""
    file = own.parents[1] / "repository" / "citemark.toml"
    file.write_text(ANSWERS)
    return file


def trust(file: Path) -> None:
    TrustStore.of_this_user().add(file, file.read_bytes())


def loaded() -> tuple[Settings, list[str]]:
    told: list[str] = []
    return load_settings(told.append), told


def key_of_answers(settings: Settings) -> str | None:
    model = chat_model_of(settings)
    return None if model is None else model.key


@pytest.mark.requirement("foreign-settings-file-needs-trust")
def test_a_file_of_the_working_folder_is_not_read_until_it_is_trusted_nor_after_it_changed(cloned: Path) -> None:
    settings, (said,) = loaded()
    assert settings.answer_url is None
    assert f"citemark trust {cloned}" in said
    trust(cloned)
    settings, told = loaded()
    assert (settings.answer_url, told) == ("https://evil.example/v1", [])
    cloned.write_text(ANSWERS.replace("evil", "worse"))
    settings, (said,) = loaded()
    assert settings.answer_url is None
    assert "changed since it was trusted" in said


@pytest.mark.requirement("foreign-settings-file-needs-trust")
def test_an_untrusted_file_is_mentioned_on_stderr_and_cannot_stop_a_command(
    cloned: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cloned.write_text("this is = = no toml")
    assert load_settings().answer_url is None
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"citemark: {cloned} is not read")


@pytest.mark.requirement("foreign-settings-file-needs-trust")
def test_trust_follows_the_real_file_and_not_a_link_that_is_bent_later(cloned: Path) -> None:
    real = cloned.with_name("real.toml")
    cloned.rename(real)
    cloned.symlink_to(real)
    trust(cloned)
    assert loaded()[0].answer_url is not None
    other = cloned.with_name("other.toml")
    other.write_text(ANSWERS)
    cloned.unlink()
    cloned.symlink_to(other)
    assert loaded()[0].answer_url is None


@pytest.mark.requirement("foreign-settings-file-needs-trust")
def test_the_users_own_files_are_read_without_being_asked_the_nearer_one_first(own: Path, cloned: Path) -> None:
    (own / "citemark.toml").write_text('min_score = 0.3\nproject_id = "own"\n')
    (own.parents[1] / "data" / "citemark.toml").write_text('min_score = 0.2\nwatch = false\nproject_id = "data"\n')
    cloned.write_text('project_id = "cloned"\n')
    assert (found := loaded()[0]).project_id == "own"
    assert (found.min_score, found.watch) == (0.3, False)
    trust(cloned)
    assert (found := loaded()[0]).project_id == "cloned"
    assert (found.min_score, found.watch) == (0.3, False)


@pytest.mark.requirement("foreign-settings-file-needs-trust")
def test_a_trusted_file_cannot_declare_its_own_folder_as_the_users(
    cloned: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CITEMARK_DATA_DIR")
    monkeypatch.setenv("HOME", str(cloned.parent / "home"))
    (cloned.parent / "index").mkdir()
    (cloned.parent / "index" / "citemark.toml").write_text(ANSWERS)
    cloned.write_text(f'data_dir = "{cloned.parent / "index"}"\n')
    trust(cloned)
    assert loaded()[0].answer_url is None


@pytest.mark.requirement("foreign-settings-file-needs-trust")
def test_a_file_that_is_named_is_read_but_one_that_was_trusted_only_as_it_was_then(
    cloned: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CITEMARK_CONFIG", str(cloned))
    assert loaded()[0].answer_url is not None
    trust(cloned)
    assert loaded()[0].answer_url is not None
    cloned.write_text(ANSWERS.replace("evil", "worse"))
    with pytest.raises(ConfigurationError, match="changed since it was trusted"):
        load_settings()


@pytest.mark.requirement("keys-stay-with-their-own-address")
def test_a_key_of_the_environment_does_not_go_to_the_address_of_a_trusted_file(
    cloned: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CITEMARK_ANSWER_API_KEY", "sk-4711")
    trust(cloned)
    settings, (said,) = loaded()
    assert key_of_answers(settings) is None
    assert "answer_api_key is not used" in said
    assert "sk-4711" not in said
    monkeypatch.setenv("CITEMARK_ANSWER_URL", "https://mine.example/v1")
    settings, told = loaded()
    assert (key_of_answers(settings), told) == ("sk-4711", [])


@pytest.mark.requirement("keys-stay-with-their-own-address")
def test_a_key_goes_to_an_address_from_the_same_place(own: Path, cloned: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cloned.write_text(ANSWERS + 'answer_api_key = "sk-theirs"\n')
    trust(cloned)
    assert key_of_answers(loaded()[0]) == "sk-theirs"
    monkeypatch.setenv("CITEMARK_ANSWER_URL", "https://mine.example/v1")
    assert key_of_answers(loaded()[0]) is None
    monkeypatch.delenv("CITEMARK_ANSWER_URL")
    cloned.unlink()
    (own / "citemark.toml").write_text(ANSWERS)
    monkeypatch.setenv("CITEMARK_ANSWER_API_KEY", "sk-4711")
    assert key_of_answers(loaded()[0]) == "sk-4711"


def embedding_key(settings: Settings) -> str | None:
    recipe = recipe_of(settings)
    return None if recipe is None else key_for(recipe, settings)


@pytest.mark.requirement("keys-stay-with-their-own-address")
@pytest.mark.parametrize(
    "said",
    [
        'embedding_provider = "openai"\nembedding_model = "m"\nembedding_url = "https://evil.example/v1"\n',
        'embedding_provider = "azure"\nembedding_model = "m"\nembedding_url = "https://evil.example"\n',
        'embedding_provider = "cohere"\n',
    ],
)
def test_keys_for_embedding_do_not_go_where_a_trusted_file_points(
    cloned: Path, monkeypatch: pytest.MonkeyPatch, said: str
) -> None:
    for name in ("CITEMARK_EMBEDDING_API_KEY", "OPENAI_API_KEY", "AZURE_OPENAI_KEY"):
        monkeypatch.setenv(name, f"sk-4711-{name}")
    cloned.write_text(said)
    trust(cloned)
    assert embedding_key(loaded()[0]) is None


@pytest.mark.requirement("keys-stay-with-their-own-address")
def test_the_variable_of_a_provider_goes_to_that_provider_whoever_chose_it(
    cloned: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-4711")
    cloned.write_text('embedding_provider = "openai"\n')
    trust(cloned)
    assert embedding_key(loaded()[0]) == "sk-4711"


@pytest.mark.requirement("keys-stay-with-their-own-address")
def test_a_database_of_a_trusted_file_gets_no_password_of_the_users(
    cloned: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cloned.write_text('database_url = "postgresql://me@evil.example/db"\n')
    trust(cloned)
    settings, _ = loaded()
    assert settings.is_foreign("database_url")
    told = without_ambient_password("postgresql://me@evil.example/db")
    assert "password=''" in told
    assert "passfile=/dev/null" in told
    assert (
        without_ambient_password("postgresql://me:theirs@evil.example/db") == "postgresql://me:theirs@evil.example/db"
    )
    monkeypatch.setenv("CITEMARK_DATABASE_URL", "postgresql://me@mine.example/db")
    assert not loaded()[0].is_foreign("database_url")


@pytest.mark.requirement("keys-stay-with-their-own-address")
def test_the_way_around_a_pooler_is_used_only_with_a_database_from_the_same_place(
    cloned: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cloned.write_text('database_direct_url = "postgresql://me@evil.example/db"\n')
    trust(cloned)
    monkeypatch.setenv("CITEMARK_DATABASE_URL", "postgresql://me@mine.example/db")
    with pytest.raises(ConfigurationError, match="different places"):
        database_addresses(loaded()[0])
    cloned.write_text('database_url = "postgresql://me@a/db"\ndatabase_direct_url = "postgresql://me@b/db"\n')
    trust(cloned)
    monkeypatch.delenv("CITEMARK_DATABASE_URL")
    found = database_addresses(loaded()[0])
    assert found is not None
    assert "password=''" in found.main
    assert "password=''" in found.direct


def test_the_list_of_trusted_files_is_readable_only_by_the_user(own: Path, cloned: Path) -> None:
    trust(cloned)
    assert (own / "trusted.json").stat().st_mode & 0o777 == 0o600
    (own / "trusted.json").write_text("[damaged")
    assert loaded()[0].answer_url is None


@pytest.mark.requirement("commands-ask-the-running-server")
def test_the_print_of_settings_changes_with_all_that_changes_answers_and_with_nothing_else(
    own: Path, cloned: Path
) -> None:
    _ = cloned

    def printed(**environ: str) -> str:
        return settings_print(environ, lambda _: None)

    bare = printed()
    for equal in (
        {"CITEMARK_DATA_DIR": "/index"},
        {"citemark_log_level": "debug"},
        {"HOME": "/x"},
        {"CO_API_KEY": "k"},
    ):
        assert printed(**equal) == bare
    others = [
        {"CITEMARK_MIN_SCORE": "0.2"},
        {"citemark_min_score": "0.3"},
        {"EMBEDDING_PROVIDER": "cohere"},
        {"EMBEDDING_PROVIDER": "cohere", "CO_API_KEY": "k"},
        {"CITEMARK_EMBEDDING_PROVIDER": "cohere", "CO_API_KEY": "k"},
    ]
    assert len({bare, *(printed(**other) for other in others)}) == 1 + len(others)
    (own / "citemark.toml").write_text("min_score = 0.4\n", "utf-8")
    assert printed() != bare
