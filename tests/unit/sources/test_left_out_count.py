"""Counting what a scan leaves out."""

from pathlib import Path

import pytest
from tests.support.developer_folder import write

from citemark.model.left_out import Exclusion, LeftOutReason
from citemark.sources.left_out_count import LeftOutCount

PACKAGES = Exclusion(LeftOutReason.FOLDER, "node_modules", "vendored packages")


def folder(root: Path, files: int) -> str:
    for number in range(files):
        write(root, f"{number % 3}/{number}.md", "x")
    return str(root)


@pytest.mark.requirement("left-out-counted")
def test_a_huge_folder_is_counted_up_to_a_limit_and_says_so(tmp_path: Path) -> None:
    count = LeftOutCount(most_in_folder=20, most_in_scan=1000)
    count.folder("node_modules", PACKAGES, folder(tmp_path, 21))
    assert count.result().text == "20+ in node_modules"
    exact = LeftOutCount(most_in_folder=21, most_in_scan=1000)
    exact.folder("node_modules", PACKAGES, str(tmp_path))
    assert exact.result().text == "21 in node_modules"


def test_a_scan_counts_no_more_than_its_limit_in_all_folders(tmp_path: Path) -> None:
    count = LeftOutCount(most_in_folder=20, most_in_scan=30)
    for name in "abc":
        count.folder(name, PACKAGES, folder(tmp_path / name, 20))
    assert (count.result().files, count.result().more) == (30, True)


def test_a_folder_without_files_and_one_that_is_gone_count_nothing(tmp_path: Path) -> None:
    count = LeftOutCount()
    (tmp_path / "empty" / "er").mkdir(parents=True)
    count.folder("empty", PACKAGES, str(tmp_path / "empty"))
    count.folder("gone", PACKAGES, str(tmp_path / "gone"))
    assert count.result().groups == ()


def test_a_link_in_a_folder_is_counted_and_not_followed(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "self").symlink_to(tmp_path)
    count = LeftOutCount()
    count.folder("a", PACKAGES, str(tmp_path / "a"))
    assert count.result().files == 1


def test_examples_are_bounded_in_each_group_and_the_numbers_are_not() -> None:
    count = LeftOutCount()
    for number in range(1000):
        count.file(f"{number}.png", Exclusion(LeftOutReason.TYPE, ".png"))
    (group,) = count.result().groups
    assert (group.files, len(group.examples)) == (1000, 20)
