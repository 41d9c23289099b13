"""`make demo`: the main job on real input, through the same command that users have."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CITEMARK = Path(sys.executable).with_name("citemark")
QUESTIONS = (
    "What happens to a citation when the file is renamed?",
    "How long does a passage handle live, and who may use it?",
    "What may a hotel in Copenhagen cost a night?",
)


def data_dir() -> Path:
    """A data folder beside the checkout; as root, where the database's unprivileged account can reach it."""
    named = os.environ.get("CITEMARK_DATA_DIR")
    if named:
        return Path(named)
    reachable = all(parent.stat().st_mode & 0o001 for parent in ROOT.parents)
    return ROOT / ".demo" if os.geteuid() != 0 or reachable else Path("/var/lib/citemark-demo")


def main() -> int:
    """Index the documentation and the sample files, ask, and say how to go on."""
    place = data_dir()
    environment = {**os.environ, "CITEMARK_DATA_DIR": str(place)}

    def citemark(*arguments: str, quiet: bool = False) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(CITEMARK), *arguments], env=environment, check=False, text=True, capture_output=quiet
        )

    for name in ("docs", "examples"):
        known = citemark("sync", name, "--json", quiet=True)
        if known.returncode != 0:
            done = citemark("add", "docs", str(ROOT / name), "--name", name, "--tag", name)
            if done.returncode != 0:
                return done.returncode
    for question in QUESTIONS:
        print(f"\n? {question}\n", flush=True)
        asked = citemark("evidence", question, "--max-quotes", "2")
        if asked.returncode != 0:
            return asked.returncode
    relative = place.relative_to(ROOT) if place.is_relative_to(ROOT) else place
    program = CITEMARK.relative_to(ROOT)
    print(f"The command `citemark` is {program} here, and this index is in {relative}. Ask on:")
    print(f"  CITEMARK_DATA_DIR={relative} {program} evidence 'your question'")
    print(f"Your own documents, in an index of their own:\n  {program} add FOLDER")
    return 0


if __name__ == "__main__":
    sys.exit(main())
