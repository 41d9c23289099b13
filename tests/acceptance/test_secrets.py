"""No secret of the settings is ever repeated: not when its form is wrong, nor when whoever it is for refuses it."""

import asyncio
import json
import shutil
import subprocess
from collections.abc import Callable, Generator
from pathlib import Path

import psycopg
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from tests.acceptance.commands import Commands
from tests.acceptance.served import index
from tests.nextcloud.server import Nextcloud
from tests.support.chat import chat_server
from tests.support.patience import HANG_SECONDS
from tests.support.postgres import reachable_folder

SECRET = "s3cr3tZ9"
Run = Callable[..., "subprocess.CompletedProcess[str]"]

MALFORMED_DATABASES = {
    "a bare percent sign": f"postgresql://u:{SECRET}%w@127.0.0.1:9/db",
    "a percent sign at the end": f"postgresql://u:{SECRET}%@127.0.0.1:9/db",
    "an escaped NUL": f"postgresql://u:{SECRET}%00@127.0.0.1:9/db",
    "a second @": f"postgresql://u:p@{SECRET}@127.0.0.1:9/db",
    "a slash in the password": f"postgresql://u:{SECRET}/x@127.0.0.1:9/db",
    "a blank": f"postgresql://u:{SECRET} x@127.0.0.1:9/db",
    "no scheme": f"u:{SECRET}@127.0.0.1/db",
    "the scheme of Java": f"jdbc:postgresql://u:{SECRET}@127.0.0.1/db",
    "the scheme of SQLAlchemy": f"postgresql+psycopg://u:{SECRET}@127.0.0.1/db",
    "another database": f"mysql://u:{SECRET}@127.0.0.1/db",
    "quotation marks": f"'postgresql://u:{SECRET}@127.0.0.1/db'",
    "no host": f"postgresql://u:{SECRET}",
    "an open bracket": f"postgresql://u:{SECRET}@[::1/db",
    "an unknown option": f"postgresql://u@127.0.0.1:9/db?passwd={SECRET}&x",
    "an option without a value": f"postgresql://u@127.0.0.1:9/db?{SECRET}",
    "a list with a blank in the password": f"host=127.0.0.1 password=p {SECRET}",
    "a list with an open quotation mark": f"host=127.0.0.1 password='{SECRET}",
    "bytes that are no UTF-8": f"postgresql://u:{SECRET}\udcff@127.0.0.1:9/db",
}
UNREACHABLE_DATABASES = {
    "nobody listens": f"postgresql://u:{SECRET}@127.0.0.1:9/db",
    "nobody listens, as a list": f"host=127.0.0.1 port=9 user=u password={SECRET} dbname=db",
    "an option with the password as its value": f"postgresql://u:{SECRET}@127.0.0.1:9/db?sslmode={SECRET}",
}
_FAILING_TABLE = f"""
    ALTER TABLE source RENAME TO source_kept;
    CREATE FUNCTION fail() RETURNS int IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN RAISE '{SECRET}'; END $$;
    CREATE VIEW source AS SELECT * FROM source_kept WHERE fail() = 1;
"""  # noqa: S608 - nothing in it comes from outside
MALFORMED_KEYS = [f"{SECRET}\r\nX-Other: 1", f"{SECRET}\u00e9", f"\udcff{SECRET}"]
MALFORMED_PROXIES = [
    f"http://u:{SECRET}%zz@127.0.0.1:9",
    f"http://u:{SECRET}@127.0.0.1:x{SECRET}",
    f"http://u:p/{SECRET}@127.0.0.1:9",
    f"http://u:p@{SECRET}@127.0.0.1:9",
    f"socks9://u:{SECRET}@127.0.0.1:9",
    f"http://u:{SECRET}\n@127.0.0.1:9",
]


@pytest.fixture
def folder() -> Generator[Path, None, None]:
    place = reachable_folder()
    yield place
    shutil.rmtree(place, ignore_errors=True)


@pytest.fixture
def citemark(commands: Commands, folder: Path) -> Run:
    """The command with all that it logs; whatever it prints must not hold the secret."""
    bare = {**index(folder / "data").environment, "CITEMARK_LOG_LEVEL": "debug", "HOME": str(folder)}

    def run(*arguments: str, **environment: str) -> "subprocess.CompletedProcess[str]":
        done = commands.run(*arguments, env={**bare, **environment}, cwd=folder)
        printed = done.stdout + done.stderr
        assert SECRET not in printed
        assert "Traceback" not in printed
        return done

    return run


@pytest.mark.requirement("no-message-holds-a-secret")
@pytest.mark.parametrize("form", MALFORMED_DATABASES)
def test_a_malformed_database_address_is_named_and_not_repeated(citemark: Run, form: str) -> None:
    done = citemark("status", CITEMARK_DATABASE_URL=MALFORMED_DATABASES[form])
    assert done.returncode == 2
    assert "CITEMARK_DATABASE_URL) is malformed: " in done.stderr


@pytest.mark.requirement("no-message-holds-a-secret")
@pytest.mark.parametrize("form", UNREACHABLE_DATABASES)
def test_connection_errors_of_postgresql_are_shown_without_the_password(citemark: Run, form: str) -> None:
    done = citemark("status", CITEMARK_DATABASE_URL=UNREACHABLE_DATABASES[form])
    assert done.returncode == 1
    assert "The database does not answer: " in done.stderr


@pytest.mark.requirement("no-message-holds-a-secret")
@pytest.mark.parametrize("command", [("status", "--json"), ("doctor",), ("search", "x", "--json"), ("sync",)])
def test_every_command_reports_the_error_in_the_same_way(citemark: Run, command: tuple[str, ...]) -> None:
    done = citemark(*command, CITEMARK_DATABASE_URL=MALFORMED_DATABASES["a bare percent sign"])
    assert done.returncode in {1, 2}
    assert "write each % of a password as %25" in done.stdout + done.stderr


@pytest.mark.requirement("no-message-holds-a-secret")
@pytest.mark.parametrize("form", ["a bare percent sign", "a second @", "no scheme"])
async def test_a_server_reports_a_malformed_database_address_to_its_client_at_once(folder: Path, form: str) -> None:
    served = index(folder / "data")
    environment = {
        **served.environment,
        "CITEMARK_DATABASE_URL": MALFORMED_DATABASES[form],
        "CITEMARK_LOG_LEVEL": "debug",
    }
    parameters = StdioServerParameters(command=served.command[0], args=served.command[1:], env=environment)
    with (folder / "stderr").open("w+") as logs:
        async with asyncio.timeout(HANG_SECONDS), Client(stdio_client(parameters, errlog=logs)) as client:
            result = await client.call_tool("kb_search", {"query": "which port"})
        logs.seek(0)
        printed = logs.read()
    assert result.is_error
    assert "malformed" in result.model_dump_json()
    assert "index_unavailable" in printed
    for said in (result.model_dump_json(), printed):
        assert SECRET not in said
    assert "Traceback" not in printed


@pytest.mark.requirement("no-message-holds-a-secret")
@pytest.mark.parametrize("key", MALFORMED_KEYS)
def test_a_key_that_no_request_can_carry_is_refused_by_the_name_of_its_setting(citemark: Run, key: str) -> None:
    embedding = {"CITEMARK_EMBEDDING_PROVIDER": "openai", "CITEMARK_EMBEDDING_URL": "http://127.0.0.1:9"}
    embedding["CITEMARK_EMBEDDING_MODEL"] = "m"
    done = citemark("status", CITEMARK_EMBEDDING_API_KEY=key, **embedding)
    assert (done.returncode, "embedding_api_key" in done.stderr) == (2, True)
    answers = {"CITEMARK_ANSWER_URL": "http://127.0.0.1:9", "CITEMARK_ANSWER_MODEL": "m"}
    done = citemark("doctor", CITEMARK_ANSWER_API_KEY=key, **answers)
    assert (done.returncode, "answer_api_key" in done.stdout) == (1, True)


@pytest.mark.requirement("no-message-holds-a-secret")
@pytest.mark.parametrize("setting", ["EMBEDDING", "ANSWER"])
def test_an_address_with_a_password_in_it_is_refused_and_not_repeated(citemark: Run, setting: str) -> None:
    for url in (f"https://u:{SECRET}@127.0.0.1:9", f"https://u:{SECRET}%zz@[127", f"https://u:p/{SECRET}@h:{SECRET}"):
        environment = {f"CITEMARK_{setting}_URL": url, f"CITEMARK_{setting}_MODEL": "m"}
        if setting == "EMBEDDING":
            environment["CITEMARK_EMBEDDING_PROVIDER"] = "openai"
        done = citemark("status", **environment)
        assert (done.returncode, f"{setting.lower()}_url must be" in done.stderr) == (2, True)


@pytest.mark.requirement("no-message-holds-a-secret")
@pytest.mark.parametrize("proxy", MALFORMED_PROXIES)
def test_a_malformed_proxy_of_the_environment_is_named_and_not_repeated(citemark: Run, dsn: str, proxy: str) -> None:
    login = ("--user", "ann", "--app-password", SECRET, "--no-sync")
    done = citemark("add", "nextcloud", "https://cloud.invalid", *login, HTTPS_PROXY=proxy, CITEMARK_DATABASE_URL=dsn)
    assert (done.returncode, "HTTPS_PROXY is malformed: " in done.stderr) == (1, True)
    provider = {"CITEMARK_EMBEDDING_PROVIDER": "openai", "CITEMARK_EMBEDDING_URL": "https://model.invalid"}
    model = {"CITEMARK_EMBEDDING_MODEL": "m", "CITEMARK_EMBEDDING_API_KEY": SECRET}
    done = citemark("doctor", HTTPS_PROXY=proxy, CITEMARK_DATABASE_URL=dsn, **provider, **model)
    assert "HTTPS_PROXY is malformed: " in done.stdout


@pytest.mark.requirement("no-message-holds-a-secret")
def test_encryption_keys_and_passwords_are_not_shown(citemark: Run, dsn: str, nextcloud: Nextcloud) -> None:
    arguments = ("add", "nextcloud", nextcloud.url, "--no-sync", "--user")
    user = "alice"
    environment = {"CITEMARK_DATABASE_URL": dsn, "CITEMARK_APP_PASSWORD": nextcloud.password(user)}
    for key in (SECRET, f"{SECRET}%", f"{SECRET}\u00e9", f"\udcff{SECRET}"):
        done = citemark(*arguments, user, CITEMARK_SECRET_KEY=key, **environment)
        assert (done.returncode, "CITEMARK_SECRET_KEY is not a key" in done.stderr) == (2, True)
    environment["CITEMARK_APP_PASSWORD"] = f"{SECRET}:\u00e9%@/ \udcff"
    assert citemark(*arguments, user, **environment).returncode != 0
    for address in (f"https://u:{SECRET}@cloud.invalid", f"https://u:p/{SECRET}@cloud.invalid", f"u:{SECRET}@[::1"):
        assert citemark("add", "nextcloud", address, "--no-sync", CITEMARK_DATABASE_URL=dsn).returncode == 2


@pytest.mark.requirement("no-message-holds-a-secret")
def test_a_key_repeated_in_a_providers_answer_is_not_shown(citemark: Run, dsn: str, folder: Path) -> None:
    (folder / "docs").mkdir()
    (folder / "docs" / "a.md").write_text("# Ports\n\nThe server listens on port 4711.\n")
    citemark("add", "docs", str(folder / "docs"), CITEMARK_DATABASE_URL=dsn)
    with chat_server() as chat:
        chat.status, chat.reply = 401, {"error": {"message": f"Incorrect API key provided: {SECRET}"}}
        answers = {
            "CITEMARK_ANSWER_URL": chat.url,
            "CITEMARK_ANSWER_MODEL": "m",
            "CITEMARK_ANSWER_API_KEY": SECRET,
            "CITEMARK_DATABASE_URL": dsn,
        }
        done = citemark("ask", "Which port does the server listen on?", "--json", **answers)
    assert json.loads(done.stdout)["not_available"] == {"provider": "declined"}
    assert chat.headers[0]["authorization"] == f"Bearer {SECRET}"


@pytest.mark.requirement("no-message-holds-a-secret")
def test_an_unexpected_failure_states_its_type_and_place_but_not_its_message(citemark: Run, dsn: str) -> None:
    assert citemark("status", CITEMARK_DATABASE_URL=dsn).returncode == 0
    with psycopg.connect(dsn) as connection:
        connection.execute(_FAILING_TABLE)
    done = citemark("status", CITEMARK_DATABASE_URL=dsn)
    assert done.returncode == 1
    assert "Citemark itself failed (" in done.stderr
    assert "citemark/store/database.py:" in done.stderr
