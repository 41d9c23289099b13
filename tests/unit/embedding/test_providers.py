"""Providers over loopback: what is asked, and what each answer leads to."""

import json
import logging
import socket
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from threading import Thread
from typing import Any

import numpy as np
import pytest
import stamina
from tests.support.patience import HANG_SECONDS
from tests.support.providers import KEY, Asked, FakeProvider, Fault, meaningless, serve

from citemark.embedding.contract import (
    BadAnswer,
    EmbeddingFailed,
    ProviderBroken,
    ProviderRefused,
    ProviderUnavailable,
    RateLimited,
    RequestRefused,
    TextsRefused,
)
from citemark.embedding.providers.embeddings_client import MOST_REQUEST_CHARACTERS, batches
from citemark.embedding.providers.recipe import ProviderKind, Recipe
from citemark.embedding.providers.remote_embedder import RemoteEmbedder


@pytest.fixture
def openai() -> Generator[FakeProvider, None, None]:
    with serve() as fake:
        yield fake


@pytest.fixture
def remote(openai: FakeProvider) -> Generator[RemoteEmbedder, None, None]:
    with _opened(openai.recipe) as embedder:
        yield embedder


@contextmanager
def _opened(recipe: Recipe, key: str | None = KEY, **fields: Any) -> Generator[RemoteEmbedder, None, None]:
    embedder = RemoteEmbedder(recipe, key, **fields)
    yield embedder
    embedder.close()


def _unit(texts: list[str]) -> np.ndarray[Any, Any]:
    found = np.asarray(meaningless(texts))
    return found / np.linalg.norm(found, axis=1, keepdims=True)


@pytest.mark.requirement("three-kinds-of-embedding-providers")
@pytest.mark.parametrize("provider", ["openai", "azure", "cohere"])
def test_each_protocol_gives_unit_vectors_in_the_order_of_the_texts(provider: ProviderKind) -> None:
    texts = [f"text {number}" for number in range(70)]
    with serve(provider) as fake:
        with _opened(fake.recipe) as remote:
            assert remote.identity.dimensions == 16
            assert np.allclose(remote.embed_documents(texts), _unit(texts), atol=1e-6)
            assert np.allclose(remote.embed_query("what is it"), _unit(["what is it"])[0], atol=1e-6)
        assert max(len(asked.texts) for asked in fake.asked) <= 32


@pytest.mark.requirement("three-kinds-of-embedding-providers")
def test_cohere_gets_the_input_type_and_is_asked_not_to_truncate() -> None:
    with serve("cohere") as fake:
        with _opened(replace(fake.recipe, dimensions=8)) as remote:
            remote.embed_documents(["a page"])
            remote.embed_query("a question")
        kinds = [(asked.texts[0], asked.body["input_type"]) for asked in fake.asked[1:]]
        assert kinds == [("a page", "search_document"), ("a question", "search_query")]
        assert {(asked.body["truncate"], asked.body["output_dimension"]) for asked in fake.asked} == {("NONE", 8)}


def test_prefixes_are_put_before_questions_and_documents(openai: FakeProvider) -> None:
    recipe = replace(openai.recipe, query_prefix="query: ", document_prefix="passage: ")
    with _opened(recipe) as remote:
        remote.embed_documents(["a page"])
        remote.embed_query("a question")
    assert [asked.texts for asked in openai.asked[1:]] == [["passage: a page"], ["query: a question"]]


@pytest.mark.requirement("batches-bounded-by-characters")
def test_batches_are_bounded_by_characters_and_by_number() -> None:
    texts = ["x" * 30_000, "x" * 30_000, "x" * 30_000, "x" * 100_000, *["y"] * 70]
    found = list(batches(texts, range(len(texts))))
    assert [place for batch in found for place in batch] == list(range(len(texts)))
    for batch in found:
        assert len(batch) == 1 or sum(len(texts[place]) for place in batch) <= MOST_REQUEST_CHARACTERS
        assert len(batch) <= 32
    assert [3] in found


@pytest.mark.requirement("batches-bounded-by-characters")
def test_a_server_with_a_smaller_limit_is_learnt_and_not_asked_for_more_again(
    openai: FakeProvider, remote: RemoteEmbedder
) -> None:
    openai.most_texts = 10
    texts = [f"text {number}" for number in range(32)]
    assert np.allclose(remote.embed_documents(texts), _unit(texts), atol=1e-6)
    openai.asked.clear()
    remote.embed_documents(texts)
    assert all(len(asked.texts) <= 10 for asked in openai.asked)


@pytest.mark.requirement("fusion-and-batch-sizes-are-settings")
def test_a_setting_says_how_many_texts_a_request_has_at_most(openai: FakeProvider) -> None:
    with _opened(openai.recipe, most_texts=7) as remote:
        remote.embed_documents([f"text {number}" for number in range(32)])
    assert max(len(asked.texts) for asked in openai.asked) == 7


@pytest.mark.requirement("batches-bounded-by-characters")
def test_no_more_requests_run_at_once_than_allowed(openai: FakeProvider) -> None:
    openai.trouble = lambda asked: Fault(delay=0.05)
    with _opened(openai.recipe, most_at_once=3) as remote:
        remote.embed_documents([f"text {number}" for number in range(300)])
    assert 1 < openai.most_at_once <= 3


@pytest.mark.requirement("transient-errors-retried-permanent-shown")
@pytest.mark.parametrize(
    "fault",
    [
        Fault(500, {"error": {"message": "The server had an error while processing your request."}}),
        Fault(503, "<html>upstream connect error</html>", {"content-type": "text/html"}),
        Fault(429, {"error": {"message": "Rate limit reached", "code": "rate_limit_exceeded"}}),
        Fault(drop=True),
    ],
)
def test_a_temporary_failure_is_retried(openai: FakeProvider, remote: RemoteEmbedder, fault: Fault) -> None:
    assert remote.identity.dimensions == 16
    with stamina.set_testing(True, attempts=2):  # without the pauses
        openai.faults = [fault]
        assert np.allclose(remote.embed_documents(["a"]), _unit(["a"]), atol=1e-6)
        openai.faults = [fault]
        assert np.allclose(remote.embed_query("b"), _unit(["b"])[0], atol=1e-6)


@pytest.mark.requirement("transient-errors-retried-permanent-shown")
@pytest.mark.parametrize("form", ["seconds", "date", "milliseconds"])
def test_a_retry_after_is_respected_by_all_callers(openai: FakeProvider, remote: RemoteEmbedder, form: str) -> None:
    assert remote.identity.dimensions == 16
    wish = {
        "seconds": {"retry-after": "1"},
        "milliseconds": {"retry-after-ms": "900", "retry-after": "7"},
        "date": {"retry-after": format_datetime(datetime.now(UTC) + timedelta(seconds=2), usegmt=True)},
    }[form]
    openai.faults = [Fault(429, {"error": {"message": "slow down"}}, wish)]
    openai.asked.clear()
    remote.embed_documents(["a"])
    refused, *others = openai.asked
    assert min(asked.at for asked in others) - refused.at >= 0.85


@pytest.mark.requirement("transient-errors-retried-permanent-shown")
def test_a_long_retry_after_is_passed_on_at_once(openai: FakeProvider, remote: RemoteEmbedder) -> None:
    assert remote.identity.dimensions == 16
    openai.faults = [Fault(429, {"message": "come back tomorrow"}, {"retry-after": "3600"})]
    with pytest.raises(RateLimited) as told:
        remote.embed_documents(["a"])
    assert told.value.retry_after == 3600


@pytest.mark.requirement("transient-errors-retried-permanent-shown")
@pytest.mark.parametrize("provider", ["openai", "azure", "cohere"])
def test_a_wrong_key_is_reported_at_once_and_never_shown(
    provider: ProviderKind, caplog: pytest.LogCaptureFixture
) -> None:
    wrong = "sk-wrong-key-0815"
    with serve(provider) as fake, caplog.at_level(logging.DEBUG):
        with (
            _opened(fake.recipe, wrong) as remote,
            pytest.raises(ProviderRefused, match="embedding_api_key") as told,
        ):
            remote.embed_documents(["a"])
        assert len(fake.asked) == 1
        assert wrong not in f"{told.value.message} {told.value.details} {remote!r} {vars(remote)}"
        assert wrong not in caplog.text


@pytest.mark.requirement("transient-errors-retried-permanent-shown")
@pytest.mark.parametrize(
    ("provider", "said"), [("openai", "ollama pull"), ("azure", "deployment"), ("cohere", "other-model")]
)
def test_an_unknown_model_is_reported_at_once(provider: ProviderKind, said: str) -> None:
    with serve(provider) as fake:
        with (
            _opened(replace(fake.recipe, model="other-model")) as remote,
            pytest.raises(ProviderRefused, match=said),
        ):
            remote.embed_documents(["a"])
        assert len(fake.asked) == 1


@pytest.mark.requirement("transient-errors-retried-permanent-shown")
@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (Fault(429, {"error": {"message": "You exceeded your quota", "code": "insufficient_quota"}}), "credit"),
        (Fault(307, "", {"location": "https://elsewhere.example/v1/embeddings?x=1"}), "elsewhere.example"),
        (Fault(405, "Method Not Allowed"), "/v1"),
        (Fault(403, {"error": {"message": "no access"}}), "embedding_api_key"),
        (Fault(400, {"object": "error", "message": "not matryoshka", "code": 400}), "embedding_dimensions"),
        (Fault(200, "<!doctype html><title>Sign in</title>", {"content-type": "text/html"}), "web page"),
        (Fault(200, "pong", {"content-type": "text/plain"}), "not JSON"),
        (Fault(200, '{"data": [{"embedding": [1'), "not JSON"),
        (Fault(200, {"embeddings": [[1.0]]}), "embedding_provider"),
        (Fault(200, {"data": [{"index": 0, "embedding": [1.0, 2.0]}]}), "1 vectors for 2 texts"),
        (Fault(200, {"data": [{"index": 0, "embedding": [1.0]}] * 2}), "1 vectors for 2 texts"),
        (Fault(200, {"data": [{"index": i, "embedding": "AACAPw=="} for i in (0, 1)]}), "not lists of numbers"),
        (Fault(200, {"data": [{"index": i, "embedding": [1.0] * (i + 1)} for i in (0, 1)]}), "one length"),
        (Fault(200, {"data": [{"index": i, "embedding": [float("nan"), 1.0]} for i in (0, 1)]}), "not numbers"),
        (Fault(200, {"data": [{"index": i, "embedding": [None, 1.0]} for i in (0, 1)]}), "number"),
        (Fault(200, {"data": [{"index": i, "embedding": [0.0, 0.0]} for i in (0, 1)]}), "all zeros"),
        (Fault(200, {"data": [{"index": i, "embedding": [0.6, 0.8]} for i in (0, 1)]}), "same for different"),
    ],
)
def test_a_permanent_error_is_reported_with_what_to_do(
    openai: FakeProvider, remote: RemoteEmbedder, fault: Fault, said: str
) -> None:
    openai.trouble = lambda _: fault
    with pytest.raises(ProviderRefused, match=said):
        _ = remote.identity
    assert len(openai.asked) == 1


def test_a_model_that_ignores_the_wish_for_fewer_dimensions_is_found_out(openai: FakeProvider) -> None:
    with (
        _opened(replace(openai.recipe, dimensions=20)) as remote,
        pytest.raises(BadAnswer, match="leave embedding_dimensions out"),
    ):
        _ = remote.identity


def test_a_change_of_dimensions_between_batches_is_detected(openai: FakeProvider, remote: RemoteEmbedder) -> None:
    assert remote.identity.dimensions == 16
    openai.embed = lambda texts: [vector[:8] for vector in meaningless(texts)]
    with pytest.raises(BadAnswer, match="8 dimensions instead of 16"):
        remote.embed_documents(["a", "b"])


@pytest.mark.requirement("transient-errors-retried-permanent-shown")
@pytest.mark.parametrize(
    "fault",
    [
        Fault(400, {"error": {"message": "This model's maximum context length is 512 tokens."}}),
        # What Ollama says when a vector came out as NaN.
        Fault(500, {"error": {"message": "failed to encode response: json: unsupported value: NaN"}}),
    ],
)
def test_one_text_that_the_model_refuses_is_named_and_the_others_are_embedded(
    openai: FakeProvider, remote: RemoteEmbedder, fault: Fault
) -> None:
    texts = [f"text {number}" for number in range(8)]
    openai.trouble = lambda asked: fault if "text 5" in asked.texts else None
    with stamina.set_testing(True, attempts=2), pytest.raises(TextsRefused) as told:
        remote.embed_documents(texts)
    assert list(told.value.reasons) == [5]
    texts.remove("text 5")
    assert np.allclose(remote.embed_documents(texts), _unit(texts), atol=1e-6)


@pytest.mark.requirement("transient-errors-retried-permanent-shown")
def test_a_provider_that_refuses_everything_is_not_mistaken_for_one_that_refuses_texts(
    openai: FakeProvider, remote: RemoteEmbedder
) -> None:
    assert remote.identity.dimensions == 16
    openai.trouble = lambda _: Fault(400, {"error": {"message": "this endpoint is being retired"}})
    openai.asked.clear()
    with pytest.raises(RequestRefused, match="being retired"):
        remote.embed_documents([f"text {number}" for number in range(20)])
    assert len(openai.asked) == 2


@pytest.mark.requirement("transient-errors-retried-permanent-shown")
def test_a_slow_server_gets_fewer_requests_at_once(openai: FakeProvider) -> None:
    def slow(asked: Asked) -> Fault:
        return Fault(delay=0.04 * len(asked.texts))

    with _opened(openai.recipe, timeout=0.4) as remote:
        assert remote.identity.dimensions == 16
        openai.trouble = slow
        texts = [f"text {number}" for number in range(16)]
        assert np.allclose(remote.embed_documents(texts), _unit(texts), atol=1e-6)


@pytest.mark.requirement("transient-errors-retried-permanent-shown")
def test_a_server_that_drips_its_answer_is_not_waited_for(openai: FakeProvider) -> None:
    with _opened(openai.recipe, timeout=0.3) as remote:
        assert remote.identity.dimensions == 16
        openai.trouble = lambda _: Fault(drip=0.05)
        with stamina.set_testing(True, attempts=2), pytest.raises(EmbeddingFailed, match=r"0\.3 seconds"):
            remote.embed_documents(["a"])
        assert openai.whole_answers == 1, "only the probe was answered to its end"


def test_an_address_without_a_listener_is_reported() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        with (
            _opened(Recipe("openai", "m", f"http://127.0.0.1:{port}/v1")) as remote,
            pytest.raises(ProviderUnavailable, match=f"127.0.0.1:{port}"),
        ):
            remote.embed_query("a")


def test_after_a_failed_question_the_next_ones_fail_at_once(openai: FakeProvider, remote: RemoteEmbedder) -> None:
    openai.trouble = lambda _: Fault(500, {"error": {"message": "no"}})
    with pytest.raises(ProviderBroken):
        remote.embed_query("a")
    openai.asked.clear()
    with pytest.raises(ProviderUnavailable, match="500"):
        remote.embed_query("b")
    assert openai.asked == []


def test_closing_ends_a_request_that_hangs(openai: FakeProvider) -> None:
    embedder = RemoteEmbedder(openai.recipe, KEY)
    assert embedder.identity.dimensions == 16
    openai.asked.clear()
    openai.trouble = lambda _: Fault(delay=3.0)
    failures: list[Exception] = []

    def work() -> None:
        try:
            embedder.embed_documents(["a"])
        except EmbeddingFailed as error:
            failures.append(error)

    thread = Thread(target=work)
    thread.start()
    while not openai.asked:
        pass
    embedder.close()
    thread.join(HANG_SECONDS)
    assert [type(error) for error in failures] == [ProviderUnavailable]
    with pytest.raises(ProviderUnavailable, match="closing"):
        embedder.embed_documents(["b"])


@pytest.mark.requirement("transient-errors-retried-permanent-shown")
def test_neither_texts_nor_keys_reach_a_log_when_things_fail(
    openai: FakeProvider, remote: RemoteEmbedder, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    assert remote.identity.dimensions == 16
    openai.trouble = lambda asked: Fault(500, {"error": {"message": json.dumps([asked.texts, dict(asked.headers)])}})
    with (
        stamina.set_testing(True, attempts=2),
        caplog.at_level(logging.DEBUG),
        pytest.raises(ProviderBroken) as told,
    ):
        remote.embed_documents(["the secret recipe of the house"])
    captured = capfd.readouterr()
    for written in (caplog.text, captured.err, captured.out, told.value.summary):
        assert KEY not in written
        assert "secret recipe" not in written
    assert KEY not in told.value.message
