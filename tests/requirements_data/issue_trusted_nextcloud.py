"""Issue 21, 21.1 to 21.8: Nextcloud as people run it."""

from tests.requirements_data.form import Requirement, met

CLAUSES: tuple[Requirement, ...] = (
    met("i21-2-first", "issue-21 2", 21, "The first 401 is one request, and so is each later try, whoever runs."),
    met("i21-2-few-a-day", "issue-21 2", 21, "Tries of a refused password back off, and a server sees a few a day."),
    met("i21-2-asked", "issue-21 2", 21, "A person who asks for status or enables the sync gets a try at once."),
    met("i21-2-advice", "issue-21 2", 21, "No scan is promised that cannot begin, and advice fits its reader."),
)
