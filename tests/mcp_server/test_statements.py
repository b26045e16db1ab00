"""What a call that answers from no records costs: its statements."""

import pytest

TOKEN = 1


@pytest.mark.parametrize(
    ("method", "number"),
    [("ping", TOKEN), ("tools/list", TOKEN), ("initialize", TOKEN)],
)
def test_what_asks_for_no_records(assistant, django_assert_num_queries, method, number):
    params = {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "Helpful", "version": "1"},
    }

    with django_assert_num_queries(number):
        answer = assistant.ask(method, params if method == "initialize" else None)

    assert "result" in answer
