"""What renders apps for hosts; the templates are loaded when the first host asks for one."""

from collections.abc import Mapping
from typing import Any

from citemark.tools.host_apps import AppPages


def _page(title: str) -> str:
    from citemark.web.host_app_page import host_app_page  # noqa: PLC0415 - most clients show no apps

    return host_app_page(title)


def _fragment(name: str, shown: Mapping[str, Any]) -> str:
    from citemark.web.host_app_page import host_app_fragment  # noqa: PLC0415 - as above

    return host_app_fragment(name, shown)


APP_PAGES = AppPages(_page, _fragment)
