"""What of people's accounts is kept in step."""

from typing import Any, cast

import pytest

from citemark.features.nextcloud.services.sync_status import AccountSyncService
from citemark.model.errors import InvalidArgument
from citemark.model.scope import Principal


async def test_an_empty_list_of_apps_is_refused_because_it_could_mean_all_or_none() -> None:
    with pytest.raises(InvalidArgument, match="at least one app"):
        await AccountSyncService(*[cast("Any", None)] * 5).enable(Principal.local(), [])
