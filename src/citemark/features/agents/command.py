"""`citemark asked`: what agents asked."""

from typing import Any

from citemark.cli.command_context import NOTHING_FOUND, CommandContext
from citemark.cli.counting import counted
from citemark.features.agents.kept_calls_key import KEPT_CALLS
from citemark.features.agents.listed_calls import listed_calls, nothing_kept
from citemark.features.agents.same_search import values_of
from citemark.services.app_context import AppContext
from citemark.text.escaping import one_line


async def show_calls(run: CommandContext, app: AppContext, limit: int) -> int:
    """List the calls that are kept, the latest first."""
    service = app.services.get(KEPT_CALLS)
    listed = await listed_calls(service, limit)
    calls = listed["calls"]
    text = "\n\n".join(map(_text, calls)) or nothing_kept(service.days, on=service.on)
    run.show({name: listed[name] for name in ("on", "days", "calls")}, text)
    return 0 if calls else NOTHING_FOUND


async def forget_calls(run: CommandContext, app: AppContext) -> int:
    """Delete all that is kept."""
    number = await app.services.get(KEPT_CALLS).forget_all()
    run.show({"forgotten": number}, f"Deleted what was kept of {counted(number, 'call')}.")
    return 0


def _text(call: dict[str, Any]) -> str:
    """A call in lines: what was asked, how it went, and where the answer is from."""
    found = counted(call["hits"], "hit") if call["outcome"] == "ok" else call["outcome"]
    withheld = f", {call['withheld']} withheld" if call["withheld"] else ""
    figures = f"{found}{withheld}, {call['bytes']} bytes in {call['seconds']} s"
    limits = [f"{name}: {', '.join(values_of(value))}" for name, value in call["limits"].items()]
    cited = [f"{each['source']}: {each['document_id']}, revision {each['revision_id']}" for each in call["cited"]]
    lines = [
        f"{call['asked_at']} {call['tool']} for {call['principal']}",
        call["question"],
        *(f"also: {phrasing}" for phrasing in call["phrasings"]),
        *limits,
        figures,
        *(f"note: {note}" for note in call["notes"]),
        *cited,
    ]
    return "\n".join([one_line(lines[0]), *(f"  {one_line(line)}" for line in lines[1:])])
