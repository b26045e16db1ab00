"""Messages of steps, each shown in the part of the case whose button was used."""

from typing import Any

from django.contrib import messages

HEADLINE, MESSAGE_IN = "headline", "in-"


def add_answer(request, text, part, level=messages.SUCCESS):
    """Add a message that the next page shows in a part of the case: HEADLINE or a card's id."""
    messages.add_message(request, level, text, extra_tags=f"{MESSAGE_IN}{part}")


def split_messages(request):
    """Return the messages by the part of the case that shows them; "" has those above the page.

    The messages of the request are used up: the next page does not show them again.
    """
    answers: dict[str, list[Any]] = {}
    for message in messages.get_messages(request):
        tags = message.extra_tags or ""
        part = tags.removeprefix(MESSAGE_IN) if tags.startswith(MESSAGE_IN) else ""
        answers.setdefault(part, []).append(message)
    return answers
