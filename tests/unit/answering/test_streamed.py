"""The words of a model put together from a stream that may be cut anywhere."""

from citemark.answering.streamed import StreamedAnswer

EVENTS = (
    'data: {"model": "chat-1", "choices": [{"delta": {"role": "assistant"}}]}\r\n\r\n'
    ": still there\n\n"
    'data: {"choices": [{"delta": {"content": "Grüße \\ud83d"}}]}\n\n'
    'data: {"choices": [{"delta": {"content": "\\ude00 an \\ud83d"}}]}\n\n'
    "data: {broken\n\n"
    'data: {"choices": []}\n\ndata: []\n\n'
    'data: {"choices": [{"delta": {"content": " alle"}, "finish_reason": "length"}]}\n\n'
    "data: [DONE]\n\n"
).encode()


def test_a_stream_says_the_same_however_it_is_cut() -> None:
    for size in (1, 3, 7, len(EVENTS)):
        told: list[str] = []
        streamed = StreamedAnswer(told.append)
        for at in range(0, len(EVENTS), size):
            streamed.take(EVENTS[at : at + size])
        assert streamed.text == told[-1] == "Grüße \U0001f600 an  alle"
        assert (streamed.model, streamed.stopped, streamed.failed) == ("chat-1", "length", False)
        assert len(told) == len(set(told))


def test_an_error_within_a_stream_is_known() -> None:
    streamed = StreamedAnswer(lambda _: None)
    streamed.take(b'data: {"error": {"code": 500}}\n')
    assert streamed.failed
