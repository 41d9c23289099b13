"""OCS answers: JSON where it is asked for, XML otherwise; version 1 counts from 100."""

from typing import Any
from xml.sax.saxutils import escape

from tests.nextcloud.messages import NO_STORE, ServerRequest, ServerResponse, json_answer, list_of, object_of

UNKNOWN = (
    "Invalid query, please check the syntax. API specifications are here: "
    "http://www.freedesktop.org/wiki/Specifications/open-collaboration-services.\n"
)


def is_v1(ask: ServerRequest) -> bool:
    return ask.route.startswith("/ocs/v1.php")


def good(ask: ServerRequest, data: Any, status: int = 200, headers: dict[str, str] | None = None) -> ServerResponse:
    """The data in the envelope."""
    meta: dict[str, Any] = {"status": "ok", "statuscode": 200, "message": "OK"}
    if is_v1(ask):
        meta |= {"statuscode": 100, "totalitems": "", "itemsperpage": ""}
    return _wrapped(ask, meta, data, status, headers or {})


def bad(ask: ServerRequest, status: int, message: str = "", code: int | None = None) -> ServerResponse:
    """A failure in the envelope; version 1 answers most of them with status 200."""
    meta = {"status": "failure", "statuscode": code or status, "message": message}
    return _wrapped(ask, meta, [], 200 if is_v1(ask) else status, {})


def _wrapped(
    ask: ServerRequest, meta: dict[str, Any], data: Any, status: int, headers: dict[str, str]
) -> ServerResponse:
    if ask.query.get("format") == "json" or "json" in (ask.header("accept") or ""):
        return json_answer({"ocs": {"meta": meta, "data": data}}, status, headers)
    body = f'<?xml version="1.0"?>\n<ocs>\n<meta>{_xml(meta)}</meta>\n<data>{_xml(data)}</data>\n</ocs>\n'
    return ServerResponse(
        status, {**NO_STORE, **headers, "content-type": "application/xml; charset=utf-8"}, body.encode()
    )


def _xml(value: Any) -> str:
    if (pairs := object_of(value)) is not None:
        return "".join(f"<{name}>{_xml(inner)}</{name}>" for name, inner in pairs.items())
    if (rows := list_of(value)) is not None:
        return "".join(f"<element>{_xml(inner)}</element>" for inner in rows)
    if isinstance(value, bool):
        return "1" if value else ""
    return "" if value is None else escape(str(value))
