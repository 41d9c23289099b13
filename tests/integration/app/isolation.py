"""What Alice asks about Bob's things and about things that are nobody's, and what she can observe of both."""

from collections.abc import Mapping
from typing import Any

from tests.integration.app.two_people import CANARIES, CONTENTS, PAGED, Two, filled

# {name} is one of Bob's things, or a thing of the same form that nobody has; {asked} is a question that names his.
CALLS: dict[str, list[dict[str, Any]]] = {
    "kb_retrieve_evidence": [
        {"question": "{asked}"},
        {"question": "food", "scope": {"environment": "{environment}"}},
        {"question": "food", "scope": {"project_id": "{word}"}},
        {"question": "food", "scope": {"doc_tags": ["{tag}"]}},
        {"question": "food", "scope": {"repositories": ["{repository}"]}},
        {"question": "food", "filters": {"doc_tag": ["{source}"]}},
        {"question": "food", "filters": {"path_prefix": "{path}"}},
        {"question": "food", "read_context": {"baseline_id": "{baseline}"}},
    ],
    "kb_search": [
        {"query": "{asked}"},
        {"query": "{asked}", "options": {"include_debug": True, "include_scores": True, "min_score": 0}},
        {"query": "food", "scope": {"environment": "{environment}"}},
        {"query": "food", "read_context": {"baseline_id": "{baseline}"}},
        {"query": "food", "read_context": {"as_of": "2001-01-01T00:00:00Z"}},
    ],
    "kb_diff": [
        {"from": "{baseline}"},
        {"from": "okapi-baseline", "to": "{baseline}"},
        {"from": "okapi-baseline", "path_prefixes": ["{path}"]},
        {"from": "okapi-baseline", "model": "{model}"},
        {"from": "okapi-baseline", "model": "okapi-model"},
    ],
    "kb_read_excerpt": [{"passage_id": "{passage_id}"}, {"passage_id": "{cloud_passage}"}],
    "kb_expand_excerpt": [{"passage_id": "{passage_id}"}, {"passage_id": "{element_passage}"}],
    "kb_extract_evidence": [{"question": "food", "passage_ids": ["{passage_id}", "{cloud_passage}"]}],
    "kb_verify_quote": [
        {"citation": {"source": "{source}", "document_id": "{document}"}, "quote": "{quote}"},
        {
            "citation": {"source": "{source}", "document_id": "{document}", "revision_id": "{revision}"},
            "quote": "{quote}",
        },
        {"citation": {"source": "okapi-docs", "document_id": "{document}"}, "quote": "{quote}"},
        {"citation": {"source": "{model}", "document_id": "{element}"}, "quote": "{name}"},
    ],
    "kb_list_sources": [{}, {"cursor": "{source}"}],
    "kb_answer": [
        {"question": "{asked}", "synthesis": "never"},
        {"question": "food", "synthesis": "never", "read_context": {"baseline_id": "{baseline}"}},
    ],
    "nc_semantic_search": [
        {"query": "{asked}"},
        {"query": "food", "labels": ["{label}"]},
        {"query": "food", "path_prefixes": ["{cloud_path}"]},
        {"query": "food", "read_context": {"baseline_id": "{baseline}"}},
    ],
    "nc_semantic_search_answer": [{"query": "{asked}", "synthesis": "never"}],
    "nc_get_vector_sync_status": [{}],
    "nc_enable_vector_sync": [{"apps": ["notes"]}],
    "nc_disable_vector_sync": [{}],
    "architecture_semanticSearch": [
        {"query": "{asked}"},
        {"query": "gate", "model": "{model}"},
        {},
        {"model": "{model}"},
    ],
    "architecture_getContext": [{"query": "{asked}"}, {"query": "gate", "model": "{model}"}],
    "architecture_getElement": [
        {"element": "{element}"},
        {"element": "{name}"},
        {"element": "{element}", "model": "{model}"},
        {"element": "okapi-1", "read_context": {"baseline_id": "{baseline}"}},
    ],
    "architecture_listElements": [{"model": "{model}"}, {"read_context": {"baseline_id": "{baseline}"}}],
    "architecture_listRelationships": [{"element": "{element}"}, {"model": "{model}"}],
    "architecture_searchElements": [{"query": "{asked}"}, {"query": "gate", "model": "{model}"}],
    "architecture_listBaselines": [{}, {"cursor": "{baseline}"}],
    "architecture_diffBaselines": [
        {"from": "{baseline}"},
        {"from": "okapi-baseline", "to": "{baseline}"},
        {"from": "okapi-baseline", "model": "{model}"},
    ],
    "graph_expand": [
        {"node_ids": ["{passage_id}"]},
        {"node_ids": ["{section_node}"], "include_snippet": True},
        {"node_ids": ["{note_node}"]},
        {"node_ids": ["{label_node}"]},
        {"node_ids": ["{word_node}"]},
        {"node_ids": ["okapi-model:element:okapi-1"], "read_context": {"baseline_id": "{baseline}"}},
        {"node_ids": ["okapi-model:element:okapi-1", "{element_node}"], "max_hops": 3},
    ],
    "graph_paths": [
        {"from_ids": ["{element_node}"], "to_ids": ["{label_node}"]},
        {"from_ids": ["okapi-model:element:okapi-1"], "to_ids": ["{element_node}"]},
    ],
    "graph_impact": [
        {"changed": "{name}"},
        {"changed": "{section_node}"},
        {"changed": "{cloud_passage}"},
        {"changed": "{name}", "model": "{model}", "read_context": {"baseline_id": "{baseline}"}},
    ],
    "graph_parents": [{"node_ids": ["{section_node}"]}, {"node_ids": ["{cloud_passage}"]}],
    "graph_children": [{"node_ids": ["{page_node}"]}],
    "graph_entities_for_sections": [{"section_ids": ["{section_node}"]}, {"section_ids": ["{cloud_passage}"]}],
    "graph_sections_for_entities": [
        {"entity_ids": ["{label_node}"]},
        {"entity_ids": ["{word_node}"]},
        {"entity_ids": ["{element_node}"]},
    ],
    "graph_describe": [{}],
    "architecture_getView": [{"view": "{view}"}, {"view": "okapi-view", "model": "{model}"}],
}
for _name, _arguments in PAGED.items():  # the same questions as Bob's, so that whose the cursor is alone decides
    CALLS[_name].append({**_arguments, "cursor": f"{{cursor_of_{_name}}}"})

READS = ("{scratch}", "{mine}/{passage_id}", "{mine}/{cloud_passage}", "{mine}/{element_passage}")
"""Addresses of resources; `{mine}` is what Alice's own begin with."""

_HANDLES = frozenset({"passage_id", "element_passage", "cloud_passage", "scratch"})
_SAID = frozenset({"word", "asked"})
"""Words of questions. Others would be nearer to her own documents or further from them, whoever else has some."""

_ANOTHER = str.maketrans("abcdefghijklmnopqrstuvwxyz0123456789", "bcdefghijklmnopqrstuvwxyza1234567890")


def nobodys(values: Mapping[str, str]) -> dict[str, str]:
    """The same in form, of things that never were."""
    return {
        key: value
        if key in _SAID
        else value[:-8] + value[-8:].translate(_ANOTHER)
        if key in _HANDLES or key.startswith("cursor_of_")
        else "999999"
        if key == "revision"
        else value.replace(CANARIES["bob"], "tarpan")
        for key, value in values.items()
    }


async def asked_of(two: Two, version: str, values: Mapping[str, str]) -> dict[str, str]:
    """What Alice observes of every call with these values, by tool and arguments."""
    mine = two.known["alice"]["scratch"].rsplit("/", 1)[0]
    named = {**values, "mine": mine}
    seen = {
        f"{name} {template}": await two.seen(
            "alice", version, "tools/call", named, name=name, arguments=filled(template, named)
        )
        for name, templates in CALLS.items()
        for template in templates
    }
    for address in READS:
        uri = filled(address, named)
        seen[address] = await two.seen("alice", version, "resources/read", {**named, "uri": uri}, uri=uri)
    return seen


async def differences(two: Two, version: str) -> list[str]:
    """What Alice can tell of Bob's things, and where anything of his is shown to her."""
    his, none = two.known["bob"], nobodys(two.known["bob"])
    await asked_of(two, version, none)  # what a first call does to her own account is done
    seen_his, seen_none = await asked_of(two, version, his), await asked_of(two, version, none)
    told = [call for call, seen in seen_his.items() if seen != seen_none[call]]
    return told + [call for call, seen in seen_his.items() if CONTENTS["bob"] in seen]
