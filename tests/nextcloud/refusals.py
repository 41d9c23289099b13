"""How each part of the server refuses a request: without a login, throttled, in maintenance."""

from tests.nextcloud import xml
from tests.nextcloud.messages import NO_STORE, ServerRequest, ServerResponse, html_answer, json_answer, php_json

_OCS_401 = b"""<?xml version="1.0"?>
<ocs>
 <meta>
  <status>failure</status>
  <statuscode>997</statuscode>
  <message>Unauthorised</message>
 </meta>
 <data/>
</ocs>
"""
_NO_BEARER = (
    "No 'Authorization: Bearer' header found. Either the client didn't send one, or the server is mis-configured"
)


def ocs_failure(status: int, code: int, message: str) -> ServerResponse:
    """The envelope of a failure."""
    meta = {"status": "failure", "statuscode": code, "message": message}
    return json_answer({"ocs": {"meta": meta, "data": []}}, status)


def ocs_unauthorised(_: ServerRequest) -> ServerResponse:
    """XML, whatever format was asked for."""
    headers = {"www-authenticate": 'Basic realm="Authorisation Required"', "content-type": "text/xml; charset=UTF-8"}
    return ServerResponse(401, headers, _OCS_401)


def ocs_throttled(_: ServerRequest) -> ServerResponse:
    return ocs_failure(429, 429, "Reached maximum delay")


def ocs_maintained(_: ServerRequest) -> ServerResponse:
    answer = ocs_failure(503, 503, "Service unavailable")
    answer.headers["x-nextcloud-maintenance-mode"] = "1"
    return answer


def dav_unauthorised(ask: ServerRequest) -> ServerResponse:
    """The message grows with what was sent."""
    wrong = (
        "Username or password was incorrect" if ask.header("authorization") else "No public access to this resource."
    )
    return xml.error(
        401,
        "NotAuthenticated",
        f"{wrong}, {_NO_BEARER}",
        **{"www-authenticate": 'Basic realm="Nextcloud", charset="UTF-8"'},
    )


def dav_throttled(_: ServerRequest) -> ServerResponse:
    return xml.error(429, "OCA\\DAV\\Connector\\Sabre\\Exception\\TooManyRequests")


def dav_maintained(_: ServerRequest) -> ServerResponse:
    return xml.error(503, "OCA\\DAV\\Exception\\ServerMaintenanceMode", "System is in maintenance mode.")


def rest_unauthorised(_: ServerRequest) -> ServerResponse:
    """Notes and Deck: a Bearer token gets the same."""
    return json_answer({"message": "CORS requires basic auth"}, 401)


def rest_throttled(_: ServerRequest) -> ServerResponse:
    return ServerResponse(
        429,
        {**NO_STORE, "content-type": "application/json; charset=utf-8"},
        php_json({"message": "Reached maximum delay"}),
    )


def rest_maintained(_: ServerRequest) -> ServerResponse:
    """A page, with the only Retry-After of the server."""
    headers = {"x-nextcloud-maintenance-mode": "1", "retry-after": "120"}
    return html_answer(503, "This Nextcloud instance is currently in maintenance mode.", headers)
