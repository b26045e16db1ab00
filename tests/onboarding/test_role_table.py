"""The table of roles in docs/back-office.md."""

from django.conf import settings

from onboarding import role_table
from onboarding.roles import ROLES, StaffRole

PAGE = settings.BASE_DIR / "docs" / "back-office.md"


def rows():
    lines = [line for line in role_table.table().splitlines() if line.startswith("|")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    names = cells[0][1:]
    return {
        row[0]: {name for name, mark in zip(names, row[1:], strict=True) if mark}
        for row in cells[2:]
    }


def test_the_page_is_what_the_code_says():
    assert role_table.replace_table(PAGE.read_text()) == PAGE.read_text()


def test_each_step_says_whose_it_is():
    assert rows()["Be the second person of a decision"] == {"Approver"}
    assert rows()["Reveal personal numbers"] == {"Reviewer", "Approver"}
    assert rows()["Export the audit of a lead"] == {"Auditor"}


def test_each_role_is_described():
    assert all(f"- **{role.name}**: {role.description}" in role_table.table() for role in ROLES)


def test_nothing_that_a_role_may_is_left_out():
    assert role_table.unknown_permissions() == set()


def test_a_permission_that_no_model_has_is_named():
    role = StaffRole("Nobody", "Does nothing.", frozenset({"onboarding.fly_application"}))

    assert role_table.unknown_permissions([role]) == {"onboarding.fly_application"}
