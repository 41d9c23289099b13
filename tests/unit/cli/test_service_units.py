"""What service managers are told, and what `doctor` says of it and of hosts."""

import os
import plistlib
import shutil
import subprocess
import sys
from pathlib import Path
from pwd import getpwuid

import pytest

from citemark.app.main import open_index
from citemark.cli.command_context import CommandContext
from citemark.cli.doctor_command import hosts_finding, service_finding
from citemark.cli.install.found_hosts import FoundHost
from citemark.cli.install.hosts import HOSTS
from citemark.cli.service.service_command import ServiceRequest, install_service, remove_service, service_file
from citemark.cli.service.units import Service, launchd_agent, systemd_unit

SERVICE = Service(["/opt/a b$/citemark", "serve", "--http"], {"CITEMARK_DATA_DIR": '/d/100%"$x'}, Path("/d"))


@pytest.mark.requirement("service-units")
def test_a_unit_quotes_what_systemd_would_read_otherwise_and_is_hardened() -> None:
    unit = systemd_unit(SERVICE)
    assert 'ExecStart="/opt/a b$/citemark" "serve" "--http"\n' in unit
    assert 'Environment="CITEMARK_DATA_DIR=/d/100%%\\"$x"\n' in unit
    assert {"NoNewPrivileges=yes", "UMask=0077", "Restart=on-failure"} <= set(unit.splitlines())
    assert "WantedBy=default.target" in unit
    assert "ProtectSystem" not in unit
    system = systemd_unit(Service(SERVICE.command, SERVICE.environment, SERVICE.folder, "citemark")).splitlines()
    assert {"User=citemark", "ProtectSystem=strict", 'ReadWritePaths="/d"', "WantedBy=multi-user.target"} <= set(system)


@pytest.mark.requirement("service-units")
@pytest.mark.parametrize("account", [None, getpwuid(os.getuid()).pw_name])
def test_systemd_itself_finds_nothing_wrong_with_a_unit(tmp_path: Path, account: str | None) -> None:
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd-analyze is not installed")
    program = tmp_path / "a b$5%" / "citemark"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    command = [str(program), "serve", "--port", "100% of $HOME\\"]
    unit = systemd_unit(Service(command, {"CITEMARK_DATA_DIR": '/d/100%"$x\\y'}, tmp_path / "d e", account))

    def said(text: str) -> tuple[int, str]:
        path = tmp_path / "citemark.service"
        path.write_text(text)
        told = subprocess.run(
            ["systemd-analyze", "verify", "--man=no", *(() if account else ("--user",)), str(path)],
            env={**os.environ, "XDG_RUNTIME_DIR": str(tmp_path)},
            capture_output=True,
            text=True,
            check=False,
        )
        return told.returncode, told.stdout + told.stderr

    assert said(unit) == (0, "")
    for line, wrong, named in (
        ("=on-failure", "=perhaps", "perhaps"),
        ("UMask", "Umaskk", "Umaskk"),
        (str(program).replace("%", "%%"), "/no/program", "/no/program"),
    ):
        assert named in said(unit.replace(line, wrong))[1]


@pytest.mark.requirement("service-units")
def test_an_agent_of_launchd_runs_the_command_and_starts_it_again_if_it_fails() -> None:
    agent = plistlib.loads(launchd_agent(SERVICE, Path("/l.log")).encode())
    assert agent["ProgramArguments"] == list(SERVICE.command)
    assert agent["EnvironmentVariables"] == dict(SERVICE.environment)
    assert agent["KeepAlive"] == {"SuccessfulExit": False}


@pytest.mark.requirement("service-units")
def test_the_service_is_written_for_its_owner_only_and_taken_away_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in [name for name in os.environ if name.startswith(("CITEMARK_", "XDG_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PATH", "")  # without a service manager
    monkeypatch.setenv("CITEMARK_EMBEDDING_API_KEY", "hunter2")
    monkeypatch.setattr(sys, "platform", "linux")
    run = CommandContext(open_index)
    assert install_service(run, ServiceRequest(8765)) == 1
    file = service_file()
    assert file == tmp_path / ".config/systemd/user/citemark.service"
    assert not file.exists()
    assert install_service(run, ServiceRequest(8765, yes=True)) == 0
    said = capsys.readouterr().out
    assert "systemctl --user enable --now citemark" in said
    assert "hunter2" not in said
    assert "hunter2" in file.read_text()
    assert 'Environment="CITEMARK_TOOLS=core"' in file.read_text()
    assert file.stat().st_mode & 0o777 == 0o600
    assert service_finding(file).mark == "ok  "
    assert install_service(run, ServiceRequest(8765, account="nobody-at-all", yes=True)) == 2
    assert install_service(run, ServiceRequest(8765, account="root", yes=True)) == 2
    assert [remove_service(run, system=False), remove_service(run, system=False)] == [0, 0]
    assert not file.exists()


@pytest.mark.requirement("doctor-knows-hosts-and-service")
def test_doctor_warns_of_programs_that_are_gone(tmp_path: Path) -> None:
    cursor = next(host for host in HOSTS if host.key == "cursor")
    gone = str(tmp_path / "citemark")
    finding = hosts_finding([FoundHost(cursor, tmp_path, ["citemark"], [gone])])
    assert (finding.mark, gone in finding.message, "citemark install cursor" in finding.message) == ("warn", True, True)
    unreadable = FoundHost(cursor, tmp_path / "mcp.json", wrong="line 1")
    assert hosts_finding([unreadable]).mark == "warn"
    fine = hosts_finding([FoundHost(cursor, tmp_path, ["citemark"], [sys.executable]), FoundHost(HOSTS[0], tmp_path)])
    assert fine.message == "in Cursor; `citemark install` adds it to claude-desktop"
    unit = tmp_path / "citemark.service"
    assert service_finding(unit).message.startswith("none")
    unit.write_text(systemd_unit(Service([gone, "serve"], {}, tmp_path)))
    assert service_finding(unit).mark == "warn"
