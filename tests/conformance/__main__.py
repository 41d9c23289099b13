"""`make conformance`: the suite of the protocol against the real server and against a test-only app on the same kernel.

Both revisions that have requirements are run. A failure that no baseline foresees ends it with 1, and so does a line of
a baseline that passes by now.
"""

import asyncio
import os
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from tests.acceptance.commands import CITEMARK
from tests.acceptance.served import ROOT, index, indexed
from tests.conformance.fixtures import fixtures_app
from tests.support.authorization_server import node, node_folder

from citemark.app.serve_http import listening_sockets
from citemark.app.web_server import WebServer

HERE = Path(__file__).resolve().parent
REVISIONS = ("2026-07-28", "2025-11-25")
_SUITE_SECONDS = 300
"""One revision takes some five seconds; a busy machine ten times that."""


def run_suite(url: str, revision: str, baseline: Path, out: Path) -> int:
    """Run a revision; 0 where all failures are foreseen. What the suite says is kept in `out`."""
    out.mkdir(parents=True, exist_ok=True)
    suite = node_folder() / "node_modules" / ".bin" / "conformance"
    command = [node(), str(suite), "server", "--url", url, "--requirements", revision]
    command += ["--expected-failures", str(baseline), "--output-dir", str(out)]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=_SUITE_SECONDS, env={**os.environ}
    )
    (out / "said.txt").write_text(done.stdout + done.stderr)
    return done.returncode


@contextmanager
def real_server() -> Generator[str]:
    """`citemark serve --http` over the sample files."""
    with indexed() as folder:
        command = [CITEMARK, "serve", "--http", "--no-token", "--port", "0"]
        with subprocess.Popen(command, env=index(folder).environment, stdout=subprocess.PIPE, text=True) as process:
            try:
                assert process.stdout is not None
                yield next(word for word in process.stdout.readline().split() if word.startswith("http://"))
            finally:
                process.terminate()
                process.wait(60)


async def _against_fixtures(out: Path) -> dict[str, int]:
    sockets = listening_sockets("127.0.0.1", 0, authenticated=False)
    port = sockets[0].getsockname()[1]
    web = WebServer(fixtures_app())
    serving = asyncio.create_task(web.serve(sockets))
    codes: dict[str, int] = {}
    for revision in REVISIONS:
        where = (f"http://127.0.0.1:{port}/mcp", revision, HERE / f"kernel-{revision}.yml", out / f"kernel-{revision}")
        codes[f"kernel {revision}"] = await asyncio.to_thread(run_suite, *where)
    web.end()
    await serving
    return codes


def main() -> int:
    """Run all of it and say how each part ended."""
    out = ROOT / ".build" / "conformance"
    codes = asyncio.run(_against_fixtures(out))
    with real_server() as url:
        for revision in REVISIONS:
            codes[f"server {revision}"] = run_suite(
                url, revision, HERE / f"real-{revision}.yml", out / f"server-{revision}"
            )
    for part, code in codes.items():
        place = out / part.replace(" ", "-") / "said.txt"
        print(f"{part}: {'as expected' if code == 0 else f'NOT as expected, see {place.relative_to(ROOT)}'}")  # noqa: T201
    return int(any(codes.values()))


if __name__ == "__main__":
    sys.exit(main())
