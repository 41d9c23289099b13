"""Where settings come from, and which source wins."""

import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from citemark.embedding.providers.recipe import Recipe, key_for, recipe_of
from citemark.model.errors import ConfigurationError
from citemark.settings import Settings, load_settings


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's own folder of settings, empty; an empty working folder, and no variable of ours."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    (tmp_path / "config" / "citemark").mkdir(parents=True)
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.setenv("CITEMARK_DATA_DIR", str(tmp_path / "data"))
    for name in ("CITEMARK_CONFIG", "CITEMARK_MIN_SCORE", "CITEMARK_PROJECT_ID", "MCP_KB_V2_ENABLED"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path / "config" / "citemark"


@pytest.mark.requirement("settings-from-environment-and-file")
def test_the_environment_wins_over_the_file_and_the_file_over_the_default(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert load_settings().min_score == 0.5
    (folder / "citemark.toml").write_text('min_score = 0.3\nproject_id = "filed"\ndefault_doc_tags = ["a", "b"]\n')
    monkeypatch.setenv("CITEMARK_PROJECT_ID", "named")
    found = load_settings()
    assert (found.min_score, found.project_id, found.default_doc_tags) == (0.3, "named", ("a", "b"))


@pytest.mark.requirement("scan-interval-is-a-setting")
def test_sources_are_scanned_every_five_minutes_unless_told_otherwise(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert folder.is_dir()
    assert load_settings().scan_interval == 300
    monkeypatch.setenv("CITEMARK_SCAN_INTERVAL", "60")
    assert load_settings().scan_interval == 60


@pytest.mark.requirement("settings-from-environment-and-file")
def test_a_named_file_is_read_instead_of_the_one_here(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "citemark.toml").write_text("min_score = 0.3\n")
    Path("other.toml").write_text("min_score = 0.2\n")
    monkeypatch.setenv("CITEMARK_CONFIG", "other.toml")
    assert load_settings().min_score == 0.2
    monkeypatch.setenv("CITEMARK_CONFIG", "nowhere.toml")
    with pytest.raises(ConfigurationError, match=r"nowhere\.toml"):
        load_settings()


@pytest.mark.parametrize(
    ("text", "said"), [("min_score = 2\n", "min_score"), ("min_score = 'much'\n", "min_score"), ("min_score = \n", "")]
)
@pytest.mark.requirement("settings-from-environment-and-file")
def test_a_wrong_value_is_named_and_its_content_is_not_repeated(folder: Path, text: str, said: str) -> None:
    (folder / "citemark.toml").write_text(text + "database_url = 'postgresql://me:pw-4711@host/db'\n")
    with pytest.raises(ConfigurationError) as refused:
        load_settings()
    assert said in refused.value.message
    assert "pw-4711" not in refused.value.message


@pytest.mark.requirement("unknown-settings-refused-with-nearest")
def test_a_mistyped_setting_is_refused_with_the_nearest_name(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "citemark.toml").write_text("min_scroe = 0.3\n")
    with pytest.raises(ConfigurationError, match=r"has no setting 'min_scroe'; did you mean min_score\?"):
        load_settings()
    (folder / "citemark.toml").write_text('zz = "pw-4711"\n')
    with pytest.raises(ConfigurationError, match="no setting 'zz'; docs/getting-started") as refused:
        load_settings()
    assert "pw-4711" not in refused.value.message
    (folder / "citemark.toml").unlink()
    monkeypatch.setenv("CITEMARK_DATADIR", "/pw-4711")
    with pytest.raises(ConfigurationError, match=r"CITEMARK_DATADIR; did you mean CITEMARK_DATA_DIR\?") as refused:
        load_settings()
    assert "pw-4711" not in refused.value.message


@pytest.mark.requirement("settings-from-environment-and-file")
@pytest.mark.parametrize("text", ["one,two", " one , two, ", '["one", "two"]'])
@pytest.mark.parametrize("name", ["default_doc_tags", "default_repositories", "http_hosts", "http_origins"])
def test_a_variable_lists_several_values_with_commas_or_as_json(
    folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, text: str
) -> None:
    assert folder.is_dir()
    monkeypatch.setenv(f"CITEMARK_{name.upper()}", text)
    assert getattr(load_settings(), name) == ("one", "two")


@pytest.mark.requirement("settings-from-environment-and-file")
@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("oauth_algorithms", "HS256", r"oauth_algorithms\.0: Input should be 'ES256'"),
        ("http_hosts", '["one', r'http_hosts: .*`one,two` or as `\["one", "two"\]`'),
        ("http_hosts", "[1]", r"http_hosts\.0: Input should be a valid string"),
    ],
)
def test_a_wrong_list_is_refused_by_name(
    folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, text: str, said: str
) -> None:
    assert folder.is_dir()
    monkeypatch.setenv(f"CITEMARK_{name.upper()}", text)
    with pytest.raises(ConfigurationError, match=said):
        load_settings()


def test_a_variable_names_the_accepted_signatures(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert folder.is_dir()
    monkeypatch.setenv("CITEMARK_OAUTH_ALGORITHMS", "ES256,RS256")
    assert load_settings().oauth_algorithms == ("ES256", "RS256")


@pytest.mark.skipif(sys.platform == "win32", reason="the environment of Windows has no bytes")
@pytest.mark.parametrize("name", ["ANSWER_MODEL", "ANSWER_URL", "ANSWER_API_KEY", "HTTP_HOSTS"])
def test_a_value_that_is_not_utf_8_is_named_and_its_content_is_not_repeated(
    folder: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    assert folder.is_dir()
    monkeypatch.setitem(os.environb, f"CITEMARK_{name}".encode(), b'["secret\xff"]')
    with pytest.raises(ConfigurationError, match=f"{name.lower()}: .*the value is not UTF-8") as refusal:
        load_settings()
    assert "secret" not in str(refusal.value)


@pytest.mark.skipif(sys.platform == "win32", reason="the environment of Windows has no bytes")
def test_a_folder_may_have_a_name_that_is_not_utf_8(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(os.environb, b"CITEMARK_DATA_DIR", os.fsencode(folder) + b"/\xff")
    assert load_settings().data_dir == folder / "\udcff"


@pytest.mark.requirement("unknown-settings-refused-with-nearest")
@pytest.mark.usefixtures("folder")
def test_variables_set_by_tests_bench_or_cluster_are_not_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    names = ["CITEMARK_SOAK", "CITEMARK_TEST_DSN", "CITEMARK_BENCH_DIR", "CITEMARK_APP_PASSWORD"]
    names += [
        "CITEMARK_MINILM_UPSTREAM_WHEEL",
        "CITEMARK_CROSSENCODER_UPSTREAM_WHEEL",
        "CITEMARK_SERVICE_HOST",
        "CITEMARK_SERVICE_PORT_HTTP",
    ]
    names += ["CITEMARK_PORT", "CITEMARK_PORT_8765_TCP_ADDR", "citemark_min_score"]
    for name in names:
        monkeypatch.setenv(name, "0.25")
    assert load_settings().min_score == 0.25


@pytest.mark.requirement("setting-hides-kb-and-graph")
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


PROVIDER_NAMES = (
    "EMBEDDING_PROVIDER",
    "OPENAI_API_KEY",
    "AZURE_OPENAI_ENDPOINT",
    "AZURE_OPENAI_KEY",
    "AZURE_OPENAI_API_KEY",
    "AZURE_OPENAI_EMBEDDING_DEPLOYMENT",
    "CO_API_KEY",
    "COHERE_API_KEY",
)


@pytest.fixture
def bare(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No variable of any provider."""
    for name in PROVIDER_NAMES:
        monkeypatch.delenv(name, raising=False)
    return folder


def key_of(settings: Settings) -> str | None:
    return None if settings.embedding_api_key is None else settings.embedding_api_key.get_secret_value()


@pytest.mark.requirement("later-aliases")
@pytest.mark.usefixtures("bare")
def test_the_founding_names_of_a_provider_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EMBEDDING_PROVIDER", "openai")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-1")
    found = load_settings()
    assert (found.embedding_provider, key_of(found)) == ("openai", "sk-1")
    monkeypatch.setenv("EMBEDDING_PROVIDER", "azure")
    monkeypatch.setenv("AZURE_OPENAI_ENDPOINT", "https://house.openai.azure.com")
    monkeypatch.setenv("AZURE_OPENAI_KEY", "az-1")
    monkeypatch.setenv("AZURE_OPENAI_EMBEDDING_DEPLOYMENT", "small")
    recipe = recipe_of(load_settings())
    assert recipe is not None
    assert (recipe.provider, recipe.model, recipe.url) == ("azure", "small", "https://house.openai.azure.com")
    assert key_of(load_settings()) == "az-1"


@pytest.mark.requirement("later-aliases")
def test_citemarks_own_setting_names_take_precedence_over_others(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EMBEDDING_PROVIDER", "cohere")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-1")
    (bare / "citemark.toml").write_text('embedding_provider = "OpenAI"\n')
    assert (load_settings().embedding_provider, key_of(load_settings())) == ("openai", "sk-1")
    monkeypatch.setenv("CITEMARK_EMBEDDING_API_KEY", "sk-2")
    assert key_of(load_settings()) == "sk-2"


@pytest.mark.parametrize(
    ("provider", "url"),
    [("openai", "http://localhost:11434/v1"), ("cohere", "https://proxy.example"), ("azure", "https://b.example")],
)
@pytest.mark.usefixtures("bare")
def test_a_key_of_the_environment_goes_to_no_other_host_than_its_own(
    monkeypatch: pytest.MonkeyPatch, provider: str, url: str
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-1")
    monkeypatch.setenv("CO_API_KEY", "co-1")
    monkeypatch.setenv("AZURE_OPENAI_KEY", "az-1")
    monkeypatch.setenv("AZURE_OPENAI_ENDPOINT", "https://a.example")
    found = load_settings(embedding_provider=provider, embedding_url=url, embedding_model="m")
    assert key_of(found) is None


@pytest.mark.usefixtures("bare")
def test_a_key_goes_to_no_other_provider_than_the_one_it_was_set_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-env")
    found = load_settings(embedding_provider="cohere", embedding_api_key="co-1")
    here = recipe_of(found)
    assert here is not None
    assert key_for(here, found) == "co-1"
    assert key_for(Recipe("cohere", "m", "https://elsewhere.example"), found) is None
    assert key_for(Recipe("openai", "m", "https://api.openai.com/v1"), found) == "sk-env"
    assert key_for(Recipe("openai", "m", "http://10.0.0.1/v1"), found) is None


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"embedding_provider": "openai", "embedding_url": "http://localhost:11434"}, "embedding_model is missing"),
        ({"embedding_provider": "azure", "embedding_model": "d"}, "embedding_url is missing"),
        ({"embedding_provider": "azure", "embedding_url": "https://a.example"}, "name of your deployment"),
        ({"embedding_provider": "openai", "embedding_url": "localhost:11434"}, r"http\(s\)://HOST"),
        ({"embedding_provider": "openai", "embedding_url": "https://me:pw-4711@host/v1"}, "user name"),
        ({"embedding_provider": "voyage"}, "'minilm', 'local', 'multilingual', 'openai', 'azure' or 'cohere'"),
        ({"embedding_provider": "openai", "embedding_dimensions": 4001}, "at most 4000"),
    ],
)
@pytest.mark.usefixtures("bare")
def test_an_incomplete_provider_configuration_is_refused_with_what_is_missing(
    fields: dict[str, Any], said: str
) -> None:
    with pytest.raises(ConfigurationError, match=said) as refused:
        recipe_of(load_settings(**fields))
    assert "pw-4711" not in refused.value.message


@pytest.mark.parametrize(
    ("given", "base"),
    [
        ("http://localhost:11434", "http://localhost:11434/v1"),
        ("http://localhost:11434/v1/", "http://localhost:11434/v1"),
        ("http://localhost:8080/v1/embeddings", "http://localhost:8080/v1"),
        ("https://gateway.example/openai/v1", "https://gateway.example/openai/v1"),
    ],
)
@pytest.mark.usefixtures("bare")
def test_the_address_of_a_server_may_be_given_as_people_write_it(given: str, base: str) -> None:
    recipe = recipe_of(load_settings(embedding_provider="openai", embedding_model="m", embedding_url=given))
    assert recipe is not None
    assert recipe.url == base


@pytest.mark.usefixtures("bare")
def test_models_that_want_prefixes_get_them_unless_told_otherwise() -> None:
    def recipe(model: str, **fields: Any) -> Recipe:
        found = recipe_of(
            load_settings(embedding_provider="openai", embedding_model=model, embedding_url="http://h/v1", **fields)
        )
        assert found is not None
        return found

    known = recipe("intfloat/multilingual-e5-small")
    assert (known.query_prefix, known.document_prefix) == ("query: ", "passage: ")
    assert recipe("multilingual-e5-large-instruct").query_prefix == ""
    assert recipe("some-model").query_prefix == ""
    told = recipe("intfloat/multilingual-e5-small", embedding_query_prefix="", embedding_document_prefix="doc: ")
    assert (told.query_prefix, told.document_prefix) == ("", "doc: ")


@pytest.mark.requirement("changing-model-leaves-no-gap")
def test_whatever_changes_the_vectors_changes_the_fingerprint_and_nothing_else_does() -> None:
    base = Recipe("openai", "m", "http://a/v1")
    others = [
        replace(base, provider="cohere"),
        replace(base, model="n"),
        replace(base, dimensions=64),
        replace(base, query_prefix="q: "),
        replace(base, document_prefix="d: "),
        replace(base, revision="2"),
    ]
    assert len({base.fingerprint, *(other.fingerprint for other in others)}) == 7
    assert replace(base, url="http://b/v1").fingerprint == base.fingerprint
    azure = replace(base, provider="azure")
    assert replace(azure, url="https://b").fingerprint != azure.fingerprint


@pytest.mark.usefixtures("bare")
def test_a_key_is_not_printed_with_the_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CITEMARK_EMBEDDING_API_KEY", "sk-4711")
    monkeypatch.setenv("CITEMARK_EMBEDDING_PROVIDER", "openai")
    assert "sk-4711" not in f"{load_settings()!r} {load_settings().model_dump_json()}"
