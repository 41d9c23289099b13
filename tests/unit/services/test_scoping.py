"""What is said of a scope value that nobody has."""

from citemark.model.scope import ScopeLimit
from citemark.services.scoping import nearest, refusal


def test_an_unknown_folder_is_answered_with_the_folders_above_every_file() -> None:
    wanted = ScopeLimit("path_prefix", "docs/api/v2/")
    error = refusal([wanted], {"path_prefix": ["docs/api/v1/index.md"]})
    assert error.details["unknown"][0]["nearest"] == ["docs/api/v1/", "docs/api/", "docs/api/v1/index.md", "docs/"]


def test_the_nearest_values_come_first_whatever_their_case() -> None:
    assert nearest("STAGING", ["production", "Staging", "stage", "x" * 90], most=3) == [
        "Staging",
        "stage",
        "production",
    ]


def test_an_empty_result_says_so() -> None:
    assert "There are none." in refusal([ScopeLimit("environment", "prod")], {"environment": []}).message
