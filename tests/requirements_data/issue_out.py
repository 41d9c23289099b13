"""Issue 26: out in the world, one command on any machine."""

from tests.requirements_data.form import Requirement, met

CLAUSES: tuple[Requirement, ...] = (
    met(
        "peers-are-compared",
        "issue-26 part 6",
        26,
        "Each server is asked in its own way; a hit has the answer's words.",
    ),
    met("wheel-metadata", "issue-26 part 1", 26, "Each package says its source, Pythons and systems; links are whole."),
    met("readme-first-lines", "issue-26 part 1", 26, "The README begins with a line for uvx and one for pip."),
    met("demo-answers-and-goes", "issue-26 part 1", 26, "The demo gives three cited answers and removes itself."),
    met("welcome", "issue-26 part 2", 26, "Alone, it says what it is, and asks three questions or names commands."),
    met("add-guesses-the-kind", "issue-26 part 2", 26, "The kind of a source is told from what was typed."),
    met("one-quiet-line", "issue-26 part 2", 26, "Progress is one line whose total does not grow."),
    met("warnings-grouped", "issue-26 part 2", 26, "Warnings come after the progress, once, grouped."),
    met("words-for-people", "issue-26 part 2", 26, "Words are not broken, and one document is singular."),
    met("installation-size", "issue-26 bars", 26, "Without extras, an install takes at most 360 MiB."),
    met("first-ten-commands", "issue-26 bars", 26, "Commands typed without reading work, or say the right one."),
    met("hosts-in-their-documented-form", "issue-26 part 3", 26, "Over 20 hosts, each as its documentation says."),
    met("install-lists-hosts", "issue-26 part 3", 26, "Without a host, those of this machine are listed and offered."),
    met("install-links", "issue-26 part 3", 26, "Links add the server to VS Code, Cursor and LM Studio."),
    met("bundle", "issue-26 part 3", 26, "A bundle has settings for a folder and an account, which become sources."),
    met(
        "bundle-by-its-own-tool",
        "issue-26 part 3",
        26,
        "The tool of its format validates, unpacks and packs the bundle in make dist-try.",
    ),
    met(
        "plugins-with-a-skill",
        "issue-26 part 3",
        26,
        "Plugins for Claude Code and Codex hold a skill that names calls.",
    ),
    met(
        "service-units",
        "issue-26 part 5",
        26,
        "systemd and launchd start one server; the unit is hardened and private.",
    ),
    met(
        "one-server-by-a-bridge",
        "issue-26 part 5",
        26,
        "A bridge that loads the standard library alone leads hosts to the server that runs.",
    ),
    met("stop", "issue-26 part 5", 26, "The servers of an index that nobody else ends are stopped."),
    met(
        "uninstall",
        "issue-26 part 5",
        26,
        "Everything that was put on the machine is shown, and goes after a question.",
    ),
    met(
        "doctor-knows-hosts-and-service",
        "issue-26 part 5",
        26,
        "The doctor tells of hosts and a service that start nothing.",
    ),
    met("registry-entry", "issue-26 part 4", 26, "The registry's entry is valid by a schema written from its pages."),
    met("version-from-one-place", "issue-26 part 4", 26, "The version is written in one place."),
    met("wheels-are-reproducible", "issue-26 part 1", 26, "Two builds of a release are compared byte for byte."),
    met("wheels-are-checked", "issue-26 part 1", 26, "A release is checked by the tools that its documents name."),
    met("installs-are-tried", "issue-26 part 1", 26, "Installs are tried on each Python of the machine, as people do."),
    met(
        "make-runs-what-is-there", "issue-26 part 1", 26, "Each module that a target of make runs is in the repository."
    ),
)
