"""Where settings come from, and which source wins."""

from pathlib import Path

import pytest

from citemark.model.errors import ConfigurationError
from citemark.settings import load_settings


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder, and no variable of ours."""
    monkeypatch.chdir(tmp_path)
    for name in ("CITEMARK_CONFIG", "CITEMARK_MIN_SCORE", "CITEMARK_PROJECT_ID", "MCP_KB_V2_ENABLED"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.mark.requirement("i2-10-settings")
def test_the_environment_wins_over_the_file_and_the_file_over_the_default(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert load_settings().min_score == 0.5
    (folder / "citemark.toml").write_text('min_score = 0.3\nproject_id = "filed"\ndefault_doc_tags = ["a", "b"]\n')
    monkeypatch.setenv("CITEMARK_PROJECT_ID", "named")
    found = load_settings()
    assert (found.min_score, found.project_id, found.default_doc_tags) == (0.3, "named", ("a", "b"))


@pytest.mark.requirement("i2-10-settings")
def test_a_named_file_is_read_instead_of_the_one_here(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "citemark.toml").write_text("min_score = 0.3\n")
    (folder / "other.toml").write_text("min_score = 0.2\n")
    monkeypatch.setenv("CITEMARK_CONFIG", "other.toml")
    assert load_settings().min_score == 0.2
    monkeypatch.setenv("CITEMARK_CONFIG", "nowhere.toml")
    with pytest.raises(ConfigurationError, match=r"nowhere\.toml"):
        load_settings()


@pytest.mark.parametrize(
    ("text", "said"), [("min_score = 2\n", "min_score"), ("min_score = 'much'\n", "min_score"), ("min_score = \n", "")]
)
@pytest.mark.requirement("i2-10-settings")
def test_a_wrong_value_is_named_and_its_content_is_not_repeated(folder: Path, text: str, said: str) -> None:
    (folder / "citemark.toml").write_text(text + "database_url = 'postgresql://me:pw-4711@host/db'\n")
    with pytest.raises(ConfigurationError) as refused:
        load_settings()
    assert said in refused.value.message
    assert "pw-4711" not in refused.value.message


@pytest.mark.requirement("P9-kb-flag")
@pytest.mark.usefixtures("folder")
def test_the_flags_of_the_founding_document_are_read_under_their_own_names(monkeypatch: pytest.MonkeyPatch) -> None:
    assert load_settings().kb_v2_enabled
    monkeypatch.setenv("MCP_KB_V2_ENABLED", "false")
    monkeypatch.setenv("MCP_STRUCTURED_OUTPUT_ENABLED", "0")
    found = load_settings()
    assert (found.kb_v2_enabled, found.structured_output_enabled) == (False, False)


@pytest.mark.usefixtures("folder")
def test_a_password_in_the_settings_is_not_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CITEMARK_DATABASE_URL", "postgresql://me:pw-4711@host/db")
    assert "pw-4711" not in repr(load_settings())
