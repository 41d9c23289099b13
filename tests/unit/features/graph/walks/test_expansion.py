"""What lies around a node: hops, caps, weights, and nodes that nobody confirms."""

import pytest
from tests.support.drawn_graph import EVERYTHING, DrawnGraph, node

from citemark.features.graph.walks.expansion import Expansion, Neighbourhood, expand

CHAIN = ("a -links_to-> b", "b -links_to-> c", "c -links_to-> d", "d -links_to-> e")


async def around(graph: DrawnGraph, *seeds: str, **wanted: object) -> Neighbourhood:
    found = Expansion(**wanted)  # type: ignore[arg-type]
    return await expand(graph, EVERYTHING, [node(seed) for seed in seeds], found, graph.confirm)


def names(found: Neighbourhood) -> list[str]:
    return [each.node.name for each in found.reached]


async def test_expansion_goes_as_far_as_requested_and_never_beyond_three_hops() -> None:
    for hops, expected in ((1, "ab"), (2, "abc"), (3, "abcd"), (9, "abcd")):
        assert names(await around(DrawnGraph(*CHAIN), "a", max_hops=hops)) == list(expected)


async def test_edges_are_followed_in_the_directions_and_of_the_types_that_are_wanted() -> None:
    graph = DrawnGraph("a -links_to-> b", "c -links_to-> a", "a -Serving-> d")
    assert names(await around(graph, "a")) == ["a", "d", "b", "c"]
    assert names(await around(graph, "a", arriving=None)) == ["a", "d", "b"]
    assert names(await around(graph, "a", leaving=None)) == ["a", "c"]
    assert names(await around(graph, "a", leaving=("Serving",), arriving=("Serving",))) == ["a", "d"]


async def test_a_cycle_is_followed_once() -> None:
    graph = DrawnGraph("a -links_to-> b", "b -links_to-> c", "c -links_to-> a", "a -links_to-> a")
    found = await around(graph, "a", max_hops=3)
    assert sorted(names(found)) == ["a", "b", "c"]
    assert len(found.edges) == 4


async def test_without_enough_room_the_strongest_edges_are_shown_and_the_rest_reported() -> None:
    weak = [f"a -in_folder-> f{number}" for number in range(5)]
    graph = DrawnGraph(*weak, "a -Serving-> x", "a -links_to-> y")
    found = await around(graph, "a", max_nodes=3)
    assert names(found)[:3] == ["a", "x", "y"]
    assert len(names(found)) == 4
    assert found.cut
    assert not (await around(graph, "a")).cut


async def test_the_way_to_a_node_and_its_closeness_are_those_of_the_strongest_edges() -> None:
    graph = DrawnGraph("a -mentions-> b", "a -Serving-> b", "b -links_to-> c")
    found = {each.node.name: each for each in (await around(graph, "a", max_hops=2)).reached}
    assert (found["b"].hops, found["b"].closeness) == (1, 1.0)
    assert found["c"].via is not None
    assert (found["c"].before, found["c"].closeness) == (node("b"), pytest.approx(0.8))
    assert found["a"].before is None


async def test_nothing_is_reached_through_a_node_that_is_not_confirmed_and_its_edges_are_left_out() -> None:
    graph = DrawnGraph(*CHAIN, "a -links_to-> x", unconfirmed=["b"])
    found = await around(graph, "a", max_hops=3)
    assert names(found) == ["a", "x"]
    assert [edge.end.name for edge in found.edges] == ["x"]


async def test_each_node_is_verified_once_and_only_while_there_is_room() -> None:
    graph = DrawnGraph(*(f"a -links_to-> n{number}" for number in range(9)), "n0 -links_to-> n1", unconfirmed=["n1"])
    await around(graph, "a", max_hops=2, max_nodes=4)
    assert graph.asked == ["n0", "n1", "n2", "n3", "n4"]


async def test_every_hop_is_one_query_however_many_nodes_it_has() -> None:
    graph = DrawnGraph(*(f"a -links_to-> n{number}" for number in range(50)))
    await around(graph, "a", max_hops=2)
    assert graph.hops == 2


async def test_of_a_hub_only_the_allowed_number_of_edges_is_read() -> None:
    graph = DrawnGraph(*(f"n{number} -links_to-> hub" for number in range(3000)), "hub -links_to-> a")
    found = await around(graph, "a", max_hops=2, max_nodes=20)
    assert len(found.reached) == 21
    assert graph.read < 50
    assert found.cut
