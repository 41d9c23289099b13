"""One typed settings object, read from `citemark.toml` and the environment."""

import json
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, cast
from zoneinfo import ZoneInfo

from pydantic import (
    AfterValidator,
    AliasChoices,
    BeforeValidator,
    Field,
    PrivateAttr,
    SecretStr,
    ValidationError,
    ValidationInfo,
    field_validator,
)
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails
from pydantic_settings import BaseSettings, NoDecode, PydanticBaseSettingsSource, SettingsConfigDict

from citemark.model.errors import ConfigurationError
from citemark.settings_files import SettingsFile, settings_files
from citemark.settings_names import PREFIX, BorrowedNames, borrowed_key, unknown_setting, unknown_variables

_MOST_DIMENSIONS = 4000
"""pgvector's HNSW index takes halfvec up to 4000 dimensions."""
_CHECKED_LATER = frozenset({"database_url", "database_direct_url", "database_read_urls", "secret_key"})
"""Settings whose use checks them whole and says how the value must look."""


def _indexable(dimensions: int | None) -> int | None:
    if dimensions is not None and dimensions > _MOST_DIMENSIONS:
        raise ValueError(f"the vector index takes at most {_MOST_DIMENSIONS} dimensions")
    return dimensions


def _items(value: Any) -> Any:
    """Split a list given as text, as in `CITEMARK_HTTP_HOSTS=one.example,two.example`; a JSON array is read as one."""
    if not isinstance(value, str):
        return value
    if value.lstrip().startswith("["):
        try:
            return json.loads(value)
        except ValueError:
            raise ValueError('a list is written as `one,two` or as `["one", "two"]`') from None
    return tuple(item.strip() for item in value.split(",") if item.strip())


def _addresses(value: Any) -> Any:
    """Split addresses given as text at white space, which none of them contains; a JSON array is read as one."""
    return value.split() if isinstance(value, str) and not value.lstrip().startswith("[") else _items(value)


Words = Annotated[tuple[str, ...], NoDecode, BeforeValidator(_items)]
"""A list of text; environment variables reach `_items` undecoded, since pydantic-settings takes only JSON for lists."""


def _known_zone(name: str) -> str:
    try:
        ZoneInfo(name or "UTC")
    except (ValueError, OSError):
        raise ValueError("write it as Europe/Berlin or America/New_York") from None
    return name


class Settings(BaseSettings):
    """All settings, set by environment variables with the prefix CITEMARK_ or in a `citemark.toml`.

    Create it with `load_settings`, which reads the files; created directly, it reads only the environment.
    """

    model_config = SettingsConfigDict(env_prefix=PREFIX, extra="forbid", frozen=True, populate_by_name=True)

    data_dir: Annotated[Path | None, Field(description="Folder of everything an index owns.")] = None
    database_url: Annotated[
        SecretStr | None, Field(description="A PostgreSQL 15+ with pgvector 0.7+ instead of the embedded one.")
    ] = None
    database_direct_url: Annotated[
        SecretStr | None, Field(description="The same database without its pooler: migrations, backups.")
    ] = None
    database_read_urls: Annotated[
        tuple[SecretStr, ...],
        NoDecode,
        BeforeValidator(_addresses),
        Field(description="Replicas that questions may read."),
    ] = ()
    config: Annotated[Path | None, Field(description="The citemark.toml to read.")] = None
    log_level: Literal["debug", "info", "warning", "error"] = "warning"

    project_id: Annotated[str, Field(description="The project that this server answers for.")] = "default"
    default_environment: Annotated[str | None, Field(description="Scope used when a call names none.")] = None
    default_doc_tags: Annotated[Words, Field(description="Scope used when a call names none.")] = ()
    default_repositories: Annotated[Words, Field(description="Scope used when a call names none.")] = ()

    tool_names: Annotated[Literal["underscore", "dot"], Field(description="Spelling of tool names.")] = "underscore"
    # The two variables with MCP_ are named in docs/founding/rulings.md.
    kb_v2_enabled: Annotated[
        bool, Field(validation_alias=AliasChoices("CITEMARK_KB_V2_ENABLED", "MCP_KB_V2_ENABLED", "kb_v2_enabled"))
    ] = True
    tools: Annotated[
        Literal["all", "core"], Field(description="Tools that are listed; core: those an agent chooses.")
    ] = "all"
    legacy_tools: Annotated[bool, Field(description="Offer the nine tools of an older server, by its names.")] = False
    connector_tools: Annotated[
        bool, Field(description="Offer search and fetch, the two tools that ChatGPT's connectors call.")
    ] = False
    structured_output_enabled: Annotated[
        bool,
        Field(
            validation_alias=AliasChoices(
                "CITEMARK_STRUCTURED_OUTPUT_ENABLED", "MCP_STRUCTURED_OUTPUT_ENABLED", "structured_output_enabled"
            )
        ),
    ] = True

    fusion: Annotated[Literal["calibrated", "rrf_only"], Field(description="What orders candidates.")] = "calibrated"
    rrf_k: Annotated[
        int, Field(ge=1, le=1000, description="Constant of the fusion; larger: first ranks count less.")
    ] = 60
    cross_encoder: Annotated[
        bool, Field(description="Let citemark-crossencoder order the first ten; for web-like text.")
    ] = False
    min_score: Annotated[float, Field(ge=0, le=1, description="Score below which nothing is shown.")] = 0.5
    default_top_k: Annotated[
        int | None, Field(ge=1, le=50, description="Hits of a search that names no number; each tool has its own.")
    ] = None
    time_zone: Annotated[
        str,
        AfterValidator(_known_zone),
        Field(description="Zone of the people who ask, such as Europe/Berlin; empty: that of this machine."),
    ] = ""
    tool_timeout: Annotated[
        float, Field(gt=0, le=600, description="Seconds that a tool call, or a model, may take.")
    ] = 30.0
    verify_timeout: Annotated[float, Field(gt=0, le=60, description="Seconds for the access check of a page.")] = 2.0
    verify_cache: Annotated[float, Field(ge=0, le=3600, description="Seconds an access check stays good.")] = 5.0
    passage_ttl: Annotated[int, Field(ge=1, le=86400, description="Seconds a passage handle or a cursor lives.")] = 1800

    embedding_provider: Annotated[
        Literal["minilm", "local", "multilingual", "openai", "azure", "cohere"],
        BeforeValidator(lambda value: value.lower() if isinstance(value, str) else value),
        Field(description="Who makes vectors: the bundled model, citemark[multilingual], or a provider."),
    ] = "minilm"
    embedding_runtime: Annotated[
        Literal["onnxruntime", "openvino"],
        Field(description="What runs the bundled model for documents; openvino needs citemark[openvino]."),
    ] = "onnxruntime"
    embedding_model: Annotated[str | None, Field(description="The provider's model; with Azure, the deployment.")] = (
        None
    )
    embedding_url: Annotated[str | None, Field(description="Where the provider answers.")] = None
    embedding_api_key: Annotated[SecretStr | None, Field(description="The provider's key.")] = None
    embedding_dimensions: Annotated[
        int | None, Field(ge=1), AfterValidator(_indexable), Field(description="Ask the model to shorten its vectors.")
    ] = None
    embedding_query_prefix: Annotated[str | None, Field(description="Put before each question.")] = None
    embedding_document_prefix: Annotated[str | None, Field(description="Put before each document.")] = None
    embedding_revision: Annotated[str, Field(description="Change it to rebuild the vectors of a model.")] = ""
    embedding_parallel: Annotated[int, Field(ge=1, le=64, description="Requests to a provider at once.")] = 4
    embedding_batch_size: Annotated[int, Field(ge=1, le=2048, description="Most texts of one of them.")] = 32
    embedding_timeout: Annotated[float, Field(gt=0, le=120, description="Seconds for one of them.")] = 60.0

    answer_model: Annotated[
        str | None, Field(description="Model for answers: suggested to clients that have one, asked at answer_url.")
    ] = None
    answer_url: Annotated[str | None, Field(description="Where it answers (OpenAI's chat protocol).")] = None
    answer_api_key: Annotated[SecretStr | None, Field(description="Its key.")] = None

    rephrase: Annotated[
        bool, Field(description="Let the client's or the answering model phrase questions in other words.")
    ] = False

    http_resource: Annotated[
        str | None, Field(description="The address of `serve --http` as clients know it, such as https://HOST/mcp.")
    ] = None
    http_hosts: Annotated[
        Words, Field(description="Names under which `serve --http` is addressed, besides this machine's.")
    ] = ()
    http_origins: Annotated[Words, Field(description="Web pages that may use it, as https://HOST.")] = ()
    http_running: Annotated[int, Field(ge=1, le=1024, description="Calls that run at a time.")] = 8
    http_running_each: Annotated[int, Field(ge=1, le=1024, description="Of them, those of one person.")] = 4
    http_waiting: Annotated[int, Field(ge=0, le=10_000, description="Calls that wait; further ones are refused.")] = 256
    http_rate: Annotated[int, Field(ge=1, description="Requests a minute of one person besides the owner.")] = 600
    audit_log: Annotated[
        Path | None, Field(description="File that gets a line for each call; the log, at info, by default.")
    ] = None
    agent_calls: Annotated[
        bool, Field(description="Keep what agents ask in words for the owner: `citemark asked`, and a page.")
    ] = False
    agent_calls_days: Annotated[int, Field(ge=1, le=365, description="Days for which a call is kept.")] = 7
    metrics_dir: Annotated[
        Path | None, Field(description="Folder where a server over stdio keeps a file of its metrics.")
    ] = None
    http_sessions: Annotated[
        bool,
        Field(description="Keep sessions for the owner's clients of older protocols."),
    ] = False
    oauth_issuer: Annotated[
        str | None,
        Field(description="The authorization server of `serve --http`; needs http_resource."),
    ] = None
    oauth_jwks_url: Annotated[str | None, Field(description="Its keys, where its metadata do not say it.")] = None
    oauth_algorithms: Annotated[
        tuple[Literal["ES256", "ES384", "EdDSA", "PS256", "PS384", "PS512", "RS256", "RS384", "RS512"], ...],
        NoDecode,
        BeforeValidator(_items),
        Field(description="Signatures that are accepted."),
    ] = ("ES256", "EdDSA", "PS256", "RS256")
    oauth_plain_type: Annotated[
        bool, Field(description="Accept tokens of the type JWT besides at+jwt, as some servers issue them.")
    ] = False
    oauth_groups_claim: Annotated[str, Field(description="The claim that lists a person's groups.")] = "groups"
    oauth_introspection_url: Annotated[
        str | None, Field(description="Ask there about each token instead of checking signatures.")
    ] = None
    oauth_client_id: Annotated[str | None, Field(description="As which client to ask.")] = None
    oauth_client_secret: Annotated[SecretStr | None, Field(description="Its secret.")] = None
    oauth_pages_client_id: Annotated[
        str | None, Field(description="As which client of oauth_issuer people sign in to the pages.")
    ] = None
    oauth_pages_client_secret: Annotated[SecretStr | None, Field(description="Its secret, if it has one.")] = None
    oauth_pages_scope: Annotated[str, Field(description="What is asked for when they sign in; openid is needed.")] = (
        "openid semantic:read"
    )

    index_in_server: Annotated[bool, Field(description="Let `serve` work on waiting texts and vectors.")] = True
    mentions: Annotated[bool, Field(description="Link texts to what they mention by its name.")] = True
    watch: Annotated[bool, Field(description="Let `serve` follow changes of the sources, where it indexes.")] = True
    scan_interval: Annotated[float, Field(ge=5, le=86400, description="Seconds between regular scans.")] = 300.0
    index_workers: Annotated[int, Field(ge=1, le=64, description="Embedding threads while there are no searches.")] = 2
    pool_size: Annotated[int, Field(ge=2, le=64, description="Database connections of one process.")] = 8
    nextcloud_url: Annotated[
        str | None, Field(description="The Nextcloud to which people connect accounts of their own by a link.")
    ] = None
    nextcloud_parallel: Annotated[int, Field(ge=1, le=64, description="Requests to one Nextcloud at once.")] = 6
    nextcloud_max_answer_mib: Annotated[int, Field(ge=1, le=1024, description="MiB of one listing that are read.")] = 64
    nextcloud_max_entries: Annotated[int, Field(ge=10, description="Entries of one folder or collection.")] = 100_000
    nextcloud_max_documents: Annotated[int, Field(ge=10, description="Documents of one app in a scan.")] = 300_000
    nextcloud_max_folders: Annotated[int, Field(ge=1, description="Folders, calendars or boards in a scan.")] = 50_000
    nextcloud_max_depth: Annotated[int, Field(ge=1, description="Levels of folders in a scan.")] = 100
    nextcloud_max_pages: Annotated[int, Field(ge=1, description="Parts of one list that comes in parts.")] = 1_000
    nextcloud_max_requests: Annotated[int, Field(ge=10, description="Requests of one app's scan.")] = 100_000
    secret_key: Annotated[
        SecretStr | None, Field(description="What encrypts stored passwords, instead of a file in the data folder.")
    ] = None
    max_file_mib: Annotated[int, Field(ge=1, le=4096, description="Larger files are reported, not read.")] = 20
    parse_seconds: Annotated[float, Field(gt=0, le=3600, description="Seconds that parsing a file may take.")] = 60.0
    parse_memory_mib: Annotated[int, Field(ge=256, le=65536, description="Memory that parsing a file may take.")] = 900
    ocr_engine: Annotated[
        Literal["auto", "rapidocr", "tesseract"],
        Field(description="What recognises text in scans; auto: rapidocr, else tesseract."),
    ] = "auto"
    ocr_languages: Annotated[
        Words, Field(description="Languages of scans by Tesseract's names, such as eng,deu; empty: those installed.")
    ] = ()

    _foreign: frozenset[str] = PrivateAttr(default=frozenset())

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Arguments first, then the environment, then the names that other programs use."""
        _ = dotenv_settings, file_secret_settings
        return init_settings, env_settings, BorrowedNames(settings_cls)

    @field_validator("*")
    @classmethod
    def _encodable(cls, value: Any, field: ValidationInfo) -> Any:
        """Refuse text with bytes that are not UTF-8, which could not be sent anywhere; paths may have them."""
        if field.field_name in _CHECKED_LATER:
            return value
        values = cast("tuple[Any, ...]", value) if isinstance(value, tuple) else (value,)
        for item in values:
            text = item.get_secret_value() if isinstance(item, SecretStr) else item
            if isinstance(text, str) and any("\ud800" <= character <= "\udfff" for character in text):
                raise ValueError("the value is not UTF-8")
        return cast("Any", value)

    def is_foreign(self, name: str) -> bool:
        """Whether a setting comes from a trusted file rather than from the user."""
        return name in self._foreign

    @classmethod
    def made_of(cls, files: Mapping[str, SettingsFile], overrides: Mapping[str, object]) -> "Settings":
        """The settings with values from `files` (by setting), which rank below the environment and the overrides."""
        settings = cls(**{name: file.values[name] for name, file in files.items()}, **overrides)  # type: ignore[arg-type]
        settings._foreign = frozenset(name for name, file in files.items() if not file.own)
        return settings


def load_settings(tell: Callable[[str], None] | None = None, **overrides: object) -> Settings:
    """The settings of this process. The environment wins over the files, and among these the strongest one.

    Args:
        tell: called with a line about each file or setting that is deliberately ignored; prints to stderr by default.
        overrides: settings that win over all others.

    Raises:
        ConfigurationError: a value is not acceptable (the message says what is), a name is not a setting (the message
            gives the nearest one), or a file cannot be read.
    """
    tell = tell or _tell_on_stderr
    problems = unknown_variables(os.environ, Settings.model_fields)
    if problems:
        raise ConfigurationError(f"Settings are wrong: {' '.join(problems)}")
    taken = _in_environment() | overrides.keys()
    chosen: dict[str, SettingsFile] = {}
    for file in settings_files(os.environ, tell):
        chosen |= {name: file for name in file.values if name not in taken and name not in chosen}
    try:
        settings = Settings.made_of(chosen, overrides)
    except ValidationError as error:
        problems = [_issue_text(issue, chosen) for issue in error.errors(include_url=False, include_input=False)]
        raise ConfigurationError(f"Settings are wrong: {'; '.join(problems)}") from None
    return _without_foreign_keys(settings, tell)


def _without_foreign_keys(settings: Settings, tell: Callable[[str], None]) -> Settings:
    """Drop each key whose address comes from elsewhere: one from the user, the other from a trusted file."""
    addresses = {
        "answer_api_key": "answer_url",
        "oauth_client_secret": "oauth_introspection_url",
        "oauth_pages_client_secret": "oauth_issuer",
        "embedding_api_key": "embedding_url" if settings.embedding_url else "embedding_provider",
    }
    for key, address in addresses.items():
        secret: SecretStr | None = getattr(settings, key)
        if secret is None or settings.is_foreign(key) == settings.is_foreign(address):
            continue
        if key == "embedding_api_key" and secret.get_secret_value() == borrowed_key(
            settings.embedding_provider, settings.embedding_url
        ):
            continue  # the provider's own variable, which implies the host
        tell(f"{key} is not used: it was not given for this {address}, which comes from another place.")
        settings = settings.model_copy(update={key: None})
    return settings


def _in_environment() -> set[str]:
    """The names of the settings that the environment sets."""
    names = {name.upper() for name in os.environ}
    return {name for name, field in Settings.model_fields.items() if names & _variables(name, field)}


def _variables(name: str, field: FieldInfo) -> set[str]:
    alias = field.validation_alias
    if isinstance(alias, AliasChoices):
        return {choice.upper() for choice in alias.choices if isinstance(choice, str) and choice != name}
    return {f"{PREFIX}{name}".upper()}


def _issue_text(issue: ErrorDetails, files: Mapping[str, SettingsFile]) -> str:
    name = ".".join(str(part) for part in issue["loc"])
    if issue["type"] == "extra_forbidden":
        file = files.get(name)
        return unknown_setting(name, Settings.model_fields, str(file.path) if file else "citemark.toml")
    return f"{name}: {issue['msg']}"


def _tell_on_stderr(line: str) -> None:
    sys.stderr.write(f"citemark: {line}\n")
