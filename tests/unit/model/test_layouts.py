"""A view's layout as it is kept with the view."""

from citemark.model.layouts import Layout, LayoutConnection, LayoutNode, layout_of

NODES = (
    LayoutNode("n1", "group", "Front office", 0, 0, 300, 200),
    LayoutNode("n2", "element", "Web portal", 10, 30, 120, 55, "n1", "1793", "ApplicationComponent", "application"),
    LayoutNode("n3", "note", "", 400, 0, 80, 40),
)
LINES = (
    LayoutConnection("c1", "n2", "n3", "Access", "r1", "reads", "read", ((20.0, 5.5), (30.0, 7.0))),
    LayoutConnection("c2", "c1", "n1"),
)


def test_a_layout_can_be_read_back() -> None:
    layout = Layout(NODES, LINES)
    assert layout_of(layout.as_json()) == layout
    assert '""' not in layout.as_json()
    assert "null" not in layout.as_json()


def test_a_malformed_layout_draws_nothing() -> None:
    for text in ("", "[]", "null", '{"nodes": null}', '{"nodes": [{"node_id": "x"}, {"kind": "sun"}]}'):
        assert layout_of(text) == Layout((), ())
    odd = '{"connections": [{"connection_id": "c", "source": "a", "target": "b", "bends": [[1]]}, {"what": 1}]}'
    assert layout_of(odd).connections == ()
