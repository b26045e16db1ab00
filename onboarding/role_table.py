"""The table of staff roles and their permissions in docs/back-office.md, made from the code."""

from collections.abc import Iterable, Iterator

from django.apps import apps

from onboarding.docs_sections import replace_section
from onboarding.roles import ROLES, StaffRole

ACTIONS = {
    "view": "See",
    "add": "Add",
    "change": "Change and take the steps of",
    "delete": "Delete",
}
Key = tuple[str, frozenset[str]]  # an action, and the roles that may take it


def table() -> str:
    """Return the roles and the table of their permissions in Markdown."""
    descriptions = [f"- **{role.name}**: {role.description}" for role in ROLES]
    return "\n".join([*descriptions, "", *_rows()])


def replace_table(page: str) -> str:
    """Return a page with the table between its markers replaced."""
    return replace_section(page, "roles", table())


def _rows() -> Iterator[str]:
    yield f"| | {' | '.join(role.name for role in ROLES)} |"
    yield "|---" * (len(ROLES) + 1) + "|"
    for label, permission in _steps():
        yield _row(label, {role.name for role in ROLES if permission in role.permissions})
    for (action, names), models in _by_roles().items():
        yield _row(f"{ACTIONS[action]} {_list(models)}", names)


def _row(label: str, names: Iterable[str]) -> str:
    marks = ("yes" if role.name in names else "" for role in ROLES)
    return f"| {label} | {' | '.join(marks)} |"


def _steps() -> Iterator[tuple[str, str]]:
    """Yield the label and the full name of each custom permission of the models."""
    for model in apps.get_models():
        for codename, label in model._meta.permissions:
            yield (
                str(label).removeprefix("Can ").capitalize(),
                f"{model._meta.app_label}.{codename}",
            )


def _by_roles() -> dict[Key, list[str]]:
    """Return the plural names of models, grouped by an action and the roles that may take it."""
    found: dict[Key, list[str]] = {}
    for action in ACTIONS:
        for model in apps.get_models():
            meta = model._meta
            permission = f"{meta.app_label}.{action}_{meta.model_name}"
            names = frozenset(role.name for role in ROLES if permission in role.permissions)
            if names:
                found.setdefault((action, names), []).append(str(meta.verbose_name_plural))
    return found


def _list(models: list[str]) -> str:
    *first, last = sorted(models, key=str.lower)
    return f"{', '.join(first)} and {last}" if first else last


def unknown_permissions(roles: Iterable[StaffRole] = ROLES) -> set[str]:
    """Return permissions of the roles that no model has: the table would not show them."""
    known = {permission for _, permission in _steps()}
    for model in apps.get_models():
        meta = model._meta
        known |= {f"{meta.app_label}.{action}_{meta.model_name}" for action in ACTIONS}
    return {permission for role in roles for permission in role.permissions - known}
