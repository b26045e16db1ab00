"""manage.py list_events."""

from onboarding.event_types import EventType


def test_each_type_has_a_line_that_says_whether_partners_are_sent_it(run):
    lines = run("list_events")

    assert [line.split()[0] for line in lines] == EventType.values
    assert lines[0].split()[1] == "published"
    assert "internal: the bank's own work" in lines[-1]
