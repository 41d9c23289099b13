"""Makes the Python code of the gRPC contract: `python -m tests.support.generated_stubs` writes it into src/."""

import sys
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory

from grpc_tools import protoc

ROOT = Path(__file__).parents[2]
PROTO = ROOT / "proto"
CODE = Path("citemark/query/v1")


def contract_files() -> list[Path]:
    """The files of the contract, in order."""
    return sorted(PROTO.rglob("*.proto"))


def generate(target: Path) -> dict[str, bytes]:
    """Write the code below `target`, and return it by file name."""
    common = ["protoc", f"-I{PROTO}", f"-I{files('grpc_tools') / '_proto'}"]
    messages = [f"--python_out={target}", f"--pyi_out={target}"]
    services = [f"--grpc_python_out={target}"]
    every = [str(path.relative_to(PROTO)) for path in contract_files()]
    with_services = [name for name in every if "\nservice " in (PROTO / name).read_text()]
    for options, names in ((messages, every), (services, with_services)):
        if protoc.main([*common, *options, *names]):  # pyright: ignore[reportUnknownMemberType] - has no types
            raise SystemExit("protoc refused the contract in proto/")
    return {path.name: path.read_bytes() for path in sorted((target / CODE).glob("*_pb2*"))}


def main() -> None:
    """Replace the generated code in src/."""
    with TemporaryDirectory() as folder:
        made = generate(Path(folder))
    for old in (ROOT / "src" / CODE).glob("*_pb2*"):
        old.unlink()
    for name, code in made.items():
        (ROOT / "src" / CODE / name).write_bytes(code)


if __name__ == "__main__":
    sys.exit(main())
