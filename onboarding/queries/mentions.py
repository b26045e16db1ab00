"""Mentions: the colleagues whom a note names, each by an @ before the name or the email."""

import re

from banking.models import User
from onboarding.queries.staff import list_reviewers

MENTION = re.compile(r"(?<![\w.@])@([\w+-]+(?:[.@'][\w+-]+)*)")


def find_mentioned(text: str) -> list[User]:
    """Return the reviewers whom a text mentions; no statement for a text without an @.

    "@Dana.Reyes", "@dana" and "@dana@example.com" mention Dana Reyes, dana@example.com.
    """
    words = {word.lower() for word in MENTION.findall(text)}
    if not words:
        return []
    return [user for user in list_reviewers() if words & _names_of(user)]


def mention_of(user: User) -> str:
    """Return the word after the @ that mentions a user: first and last name, or the email."""
    return ".".join(user.get_full_name().split()) or user.email


def list_mentionable(by: User) -> list[User]:
    """Return the reviewers whom a user may mention: every reviewer but the user."""
    return list(list_reviewers().exclude(pk=by.pk))


def _names_of(user: User) -> set[str]:
    return {mention_of(user).lower(), user.email.lower(), user.email.partition("@")[0].lower()}
