"""Which apps a server has for an account."""

from http import HTTPStatus

from citemark.model.errors import RetriableSourceError
from citemark.sources.contract import ScanState
from citemark.sources.nextcloud.http import Client
from citemark.sources.nextcloud.values import array_in, object_in

_KEY = "capabilities"
_PATH = "/ocs/v2.php/cloud/capabilities"
_HEADERS = {"OCS-APIRequest": "true", "Accept": "application/json"}
_OPTIONAL = ("notes", "deck")
"""Apps that a server may lack, by the names under which it tells what it can."""


async def absent_apps(client: Client, scan_state: ScanState) -> frozenset[str]:
    """The apps that this server has not, or not for this account.

    Raises:
        RetriableSourceError: it does not say, for now.
        FatalSourceError: the account cannot be used any more.
    """
    kept = object_in(await scan_state.load(_KEY))
    headers = {**_HEADERS, "If-None-Match": str(kept["etag"])} if kept.get("etag") else _HEADERS
    reply = await client.send("GET", _PATH, headers=headers, params={"format": "json"})
    if reply.status == HTTPStatus.NOT_MODIFIED:
        return frozenset(str(name) for name in array_in(kept.get("absent")))
    told = object_in(object_in(object_in(object_in(reply.json()).get("ocs")).get("data")).get("capabilities"))
    if reply.status != HTTPStatus.OK or not told:
        raise RetriableSourceError(f"{client.server} answered {reply.status} when asked which apps it has.")
    absent = [name for name in _OPTIONAL if name not in told]
    await scan_state.save(_KEY, {"etag": reply.headers.get("etag"), "absent": absent})
    return frozenset(absent)
