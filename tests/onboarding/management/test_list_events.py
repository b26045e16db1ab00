"""manage.py list_events."""

from onboarding import event_table
from onboarding.docs_sections import begin, end
from onboarding.event_types import EventType


def test_each_type_has_a_line_that_says_whether_partners_are_sent_it(run):
    lines = run("list_events")

    assert [line.split()[0] for line in lines] == EventType.values
    assert lines[0].split()[1] == "published"
    assert "internal: the bank's own work" in lines[-1]


def test_the_table_is_put_into_a_page(run, tmp_path):
    page = tmp_path / "page.md"
    page.write_text(f"Before.\n{begin('events')}\n{end('events')}\nAfter.\n")

    lines = run("list_events", "--into", str(page))

    assert lines == ["Before.", begin("events"), *event_table.table().splitlines(),
                     end("events"), "After."]  # fmt: skip
