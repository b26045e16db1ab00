"""manage.py list_roles."""

from onboarding import role_table
from onboarding.docs_sections import begin, end


def test_each_role_has_a_line(run):
    assert [line.split()[0] for line in run("list_roles")] == [
        "Viewer",
        "Support",
        "Reviewer",
        "Approver",
        "Auditor",
        "Administrator",
        "Operations",
    ]


def test_the_table_is_printed_alone(run):
    assert run("list_roles", "--markdown") == role_table.table().splitlines()


def test_the_table_is_put_into_a_page(run, tmp_path):
    page = tmp_path / "page.md"
    page.write_text(f"Before.\n{begin('roles')}\n{end('roles')}\nAfter.\n")

    lines = run("list_roles", "--into", str(page))

    assert (lines[0], lines[-1]) == ("Before.", "After.")
    assert role_table.table().splitlines()[0] in lines
