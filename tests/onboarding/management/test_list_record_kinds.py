"""manage.py list_record_kinds."""

from banking.feed.registry import KINDS
from mcp_server.registry import TOOLS


def test_each_kind_is_listed_with_its_fields(run):
    lines = run("list_record_kinds")

    assert {line for line in lines if line.startswith("### ")} == {f"### {name}" for name in KINDS}
    assert "| `business` | id in `businesses` | required |" in lines
    assert "| `entries.amountCents` | integer | required; US cents. |" in lines


def test_each_kind_shows_in_tools_that_exist():
    for kind in KINDS.values():
        assert kind.shows
        assert {name for name in kind.shows if name.startswith("svc_")} <= set(TOOLS)


def test_the_csv_template_of_a_kind_is_its_header(run):
    (header,) = run("list_record_kinds", "--csv", "merchants")

    assert header == "externalId,version,removed,name,mcc,website"
