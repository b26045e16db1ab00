"""Rights of a member of staff in words, each with the roles that give it."""

from collections import defaultdict
from dataclasses import dataclass

from django.contrib.auth.models import Permission

VERBS = {"add": "Add", "change": "Change, and take the steps of", "delete": "Delete", "view": "See"}
ALONE = "given to this person alone"


@dataclass(frozen=True)
class Right:
    """A right of a person as a sentence, and the roles that give the right."""

    text: str
    roles: str


def rights_of(user):
    """Return the rights that a user's roles and own permissions give: steps first, then records.

    It does not matter whether the user is active or a superuser.
    """
    sources = _sources(user)
    found = Permission.objects.filter(pk__in=sources).select_related("content_type")
    steps, records = [], defaultdict(list)
    for permission in found.order_by("content_type__app_label", "pk"):
        roles = ", ".join(sorted(sources[permission.pk]))
        verb = permission.codename.partition("_")[0]
        if permission.codename == f"{verb}_{permission.content_type.model}" and verb in VERBS:
            records[verb, roles].append(_plural(permission))
        else:
            steps.append(Right(permission.name.removeprefix("Can ").capitalize(), roles))
    lines = [
        Right(f"{VERBS[verb]} {', '.join(sorted(set(records[verb, roles])))}", roles)
        for verb, roles in sorted(records, key=lambda key: (list(VERBS).index(key[0]), key[1]))
    ]
    return [*steps, *lines]


def _sources(user):
    """Return the names of a user's roles, by the primary key of each permission that they give.

    For permissions given to the user alone, the name is ALONE.
    """
    sources = defaultdict(set)
    for group in user.groups.prefetch_related("permissions"):
        for permission in group.permissions.all():
            sources[permission.pk].add(group.name)
    for permission in user.user_permissions.all():
        sources[permission.pk].add(ALONE)
    return sources


def _plural(permission):
    model = permission.content_type.model_class()
    return str(model._meta.verbose_name_plural) if model else permission.content_type.model
