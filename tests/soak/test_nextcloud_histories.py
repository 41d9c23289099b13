"""The histories of a Nextcloud at full length, for `make soak`; `make test` runs short ones where they are written."""

import os

if os.environ.get("CITEMARK_SOAK"):
    from tests.integration.app.test_nextcloud_histories import (
        test_random_histories_end_with_index_and_server_equal_and_show_no_one_foreign_documents,
    )
    from tests.integration.features.nextcloud.source.test_stateful_account import TestAccountHistories

    __all__ = [
        "TestAccountHistories",
        "test_random_histories_end_with_index_and_server_equal_and_show_no_one_foreign_documents",
    ]
