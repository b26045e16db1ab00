"""manage.py list_roles."""


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
