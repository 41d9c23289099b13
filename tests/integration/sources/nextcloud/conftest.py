"""Accounts of the double."""

from tests.support.nextcloud_account import office  # noqa: F401 - a fixture for this folder
