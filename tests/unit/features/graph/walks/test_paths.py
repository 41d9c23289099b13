"""Paths between nodes: the shortest first, none twice, none through what is not confirmed, and within their work."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.drawn_graph import EVERYTHING, DrawnGraph, node

from citemark.features.graph.walks.paths import PathSearch, PathsFound, find_paths


async def between(graph: DrawnGraph, starts: str, ends: str, **wanted: object) -> PathsFound:
    search = PathSearch(**wanted)  # type: ignore[arg-type]
    some, others = ([node(name) for name in names.split()] for names in (starts, ends))
    return await find_paths(graph, EVERYTHING, some, others, search, graph.confirm)


def spelled(found: PathsFound) -> list[str]:
    return ["".join(each.name for each in path.nodes) for path in found.paths]


async def test_paths_come_shortest_first_over_edges_of_either_direction() -> None:
    graph = DrawnGraph("a -links_to-> b", "b -links_to-> c", "c -links_to-> d", "d -Serving-> a")
    assert spelled(await between(graph, "a", "d")) == ["ad", "abcd"]


async def test_paths_are_at_most_as_long_as_requested_and_never_over_five_hops() -> None:
    graph = DrawnGraph(*(f"{one} -links_to-> {other}" for one, other in zip("abcdef", "bcdefg", strict=True)))
    assert spelled(await between(graph, "a", "d", max_hops=2)) == []
    assert spelled(await between(graph, "a", "d", max_hops=3)) == ["abcd"]
    assert spelled(await between(graph, "a", "f", max_hops=99)) == ["abcdef"]
    assert spelled(await between(graph, "a", "g", max_hops=99)) == []


async def test_a_path_meets_no_node_twice_and_touches_the_ends_only_at_its_ends() -> None:
    graph = DrawnGraph("a -links_to-> b", "b -links_to-> a", "b -links_to-> c", "c -links_to-> d", "d -links_to-> b")
    assert spelled(await between(graph, "a", "c", max_hops=5)) == ["abc", "abdc"]
    assert spelled(await between(graph, "a", "b c", max_hops=5)) == ["ab"]


async def test_among_equally_short_paths_the_one_with_stronger_edges_comes_first() -> None:
    graph = DrawnGraph("a -in_folder-> b", "c -in_folder-> b", "a -Serving-> x", "x -Serving-> c")
    assert spelled(await between(graph, "a", "c")) == ["axc", "abc"]


async def test_the_strongest_edge_between_two_nodes_is_shown() -> None:
    graph = DrawnGraph("a -mentions-> b", "a -Serving-> b", "a -links_to-> b")
    found = await between(graph, "a", "b")
    assert [[edge.type for edge in path.edges] for path in found.paths] == [["Serving"]]


async def test_no_path_runs_through_a_node_that_is_not_confirmed() -> None:
    graph = DrawnGraph("a -links_to-> b", "b -links_to-> c", "a -links_to-> x", "x -links_to-> y", "y -links_to-> c")
    graph.unconfirmed = ["b"]
    assert spelled(await between(graph, "a", "c", max_hops=5)) == ["axyc"]
    assert len(graph.asked) == len(set(graph.asked))


async def test_edges_of_other_types_are_not_walked() -> None:
    graph = DrawnGraph("a -links_to-> b", "a -Serving-> x", "x -Serving-> b")
    assert spelled(await between(graph, "a", "b", types=("Serving",))) == ["axb"]


async def test_unconnected_nodes_have_no_path_and_the_answer_is_certain() -> None:
    graph = DrawnGraph("a -links_to-> b", "c -links_to-> d", "d -links_to-> c")
    found = await between(graph, "a", "c", max_hops=5)
    assert (found.paths, found.cut) == ((), False)
    assert graph.hops <= 3, "a side that has nowhere to go ends the search"


async def test_a_node_that_is_both_start_and_end_is_not_a_path() -> None:
    graph = DrawnGraph("a -links_to-> b")
    assert spelled(await between(graph, "a", "a")) == []
    assert spelled(await between(graph, "a", "a b")) == ["ab"]


async def test_as_many_paths_as_wanted_end_the_search() -> None:
    graph = DrawnGraph(*(f"a -links_to-> {n}" for n in "ghijkl"), *(f"{n} -links_to-> z" for n in "ghijkl"))
    found = await between(graph, "a", "z", max_paths=4)
    assert spelled(found) == ["agz", "ahz", "aiz", "ajz"]
    assert not found.cut


async def test_a_path_over_a_hub_is_found_from_its_other_side() -> None:
    far = [f"n{number} -links_to-> hub" for number in range(2000)]
    graph = DrawnGraph(*far, "a -links_to-> hub", "z -links_to-> n1999")
    assert spelled(await between(graph, "a", "z", max_hops=5)) == ["ahubn1999z"]
    assert graph.read < 500


async def test_a_search_between_two_hubs_reports_that_it_is_incomplete() -> None:
    one = [f"m{number} -links_to-> hub" for number in range(2000)]
    other = [f"n{number} -links_to-> bub" for number in range(2000)]
    graph = DrawnGraph(*one, *other, "m1999 -links_to-> n1999", "a -links_to-> hub", "z -links_to-> bub")
    found = await between(graph, "a", "z", max_hops=5)
    assert (found.paths, found.cut) == ((), True)
    assert graph.read < 1000


@pytest.mark.parametrize("hops", [1, 2, 3, 4, 5])
@given(pairs=st.lists(st.tuples(st.sampled_from("abcdefg"), st.sampled_from("abcdefg")), max_size=14))
async def test_the_paths_are_exactly_those_that_trying_everything_finds(
    hops: int, pairs: list[tuple[str, str]]
) -> None:
    graph = DrawnGraph(*(f"{one} -links_to-> {other}" for one, other in pairs))
    found = spelled(await between(graph, "a", "b", max_hops=hops, max_paths=10_000))
    neighbours: dict[str, set[str]] = {name: set() for name in "abcdefg"}
    for one, other in pairs:
        neighbours[one].add(other)
        neighbours[other].add(one)
    expected: set[str] = set()
    ways = ["a"]
    while ways:
        way = ways.pop()
        if way[-1] == "b":
            expected.add(way)
        elif len(way) <= hops:
            ways += (way + name for name in neighbours[way[-1]] - set(way))
    assert len(found) == len(set(found))
    assert set(found) == expected
    assert [len(path) for path in found] == sorted(len(path) for path in found)
