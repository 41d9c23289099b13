import socket
from pathlib import Path

import pytest

from citemark.app.local_socket import local_socket
from citemark.cli.doctor_command import server_finding
from citemark.folders import socket_file


@pytest.mark.requirement("one-server-by-a-bridge")
def test_the_socket_of_a_killed_server_is_taken_over_and_that_of_a_running_one_is_not(tmp_path: Path) -> None:
    path = socket_file(tmp_path)
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(path))
    with local_socket(tmp_path) as first:
        assert first is not None
        with local_socket(tmp_path) as second:
            assert second is None
        assert path.is_socket()
    assert not path.exists()


def test_a_server_leaves_a_socket_alone_that_another_has_put_in_its_place(tmp_path: Path) -> None:
    path = socket_file(tmp_path)
    with local_socket(tmp_path):
        path.unlink()
        path.write_text("another's")
    assert path.read_text() == "another's"


def test_there_is_no_socket_where_its_path_is_too_long(tmp_path: Path) -> None:
    folder = tmp_path / ("x" * 120)
    with local_socket(folder) as opened:
        assert opened is None
    assert list(folder.iterdir()) == []


@pytest.mark.requirement("doctor-knows-hosts-and-service")
def test_doctor_says_whether_a_server_answers_bridges(tmp_path: Path) -> None:
    assert server_finding(tmp_path).message.startswith("no `serve --http` of this index runs")
    with local_socket(tmp_path):
        assert "answers `citemark bridge`" in server_finding(tmp_path).message
    assert "too long" in server_finding(tmp_path / ("x" * 120)).message
