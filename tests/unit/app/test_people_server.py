"""What is served to people besides the owner."""

from pathlib import Path

import pytest
from tests.support.groups import catalog

from citemark.app.people_server import limits_of, people_server
from citemark.app.serve_stdio import BackgroundIndex
from citemark.settings import Settings


@pytest.mark.requirement("each-connects-a-nextcloud-by-link")
@pytest.mark.parametrize("url", [None, "https://cloud.example"])
def test_the_page_where_people_connect_accounts_is_served_if_they_can_connect_any(
    tmp_path: Path, url: str | None
) -> None:
    settings = Settings(data_dir=tmp_path, nextcloud_url=url)
    served = people_server(settings, BackgroundIndex(settings, catalog()), limits_of(settings))
    assert (served.page is not None) == (url is not None)
