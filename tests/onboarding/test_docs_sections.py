"""Sections of documents that are generated."""

from onboarding.docs_sections import begin, end, replace_section


def test_the_text_around_a_section_stays():
    page = f"# Roles\n\n{begin('roles')}\nold\n{end('roles')}\n\nMore.\n"

    written = replace_section(page, "roles", "new")

    assert written == f"# Roles\n\n{begin('roles')}\nnew\n{end('roles')}\n\nMore.\n"
