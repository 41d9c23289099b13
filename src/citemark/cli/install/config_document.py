"""A host's configuration as a document that entries can be added to."""

from typing import assert_never

from citemark.cli.install.hosts import Host
from citemark.cli.install.json_editor import JsonText
from citemark.cli.install.toml_editor import TomlText
from citemark.cli.install.yaml_editor import YamlText
from citemark.model.errors import InvalidArgument

Document = JsonText | TomlText | YamlText


def document_of(host: Host, text: str) -> Document:
    """The text of a host's configuration, parsed.

    Raises:
        InvalidArgument: it is malformed, or the host has no configuration.
    """
    match host.form:
        case "toml":
            return TomlText(text, host.servers)
        case "json" | "jsonc":
            return JsonText(text, host.servers, comments=host.form == "jsonc")
        case "yaml" | "yaml list":
            return YamlText(text, host.servers, listed=host.form == "yaml list")
        case "none":
            raise InvalidArgument(f"{host.title} has no configuration file")
        case _:
            assert_never(host.form)
