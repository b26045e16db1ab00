"""Prompts: tasks that users choose in their assistant, each with the tools that it needs.

A prompt is text for the assistant and holds no data of the bank. The texts are in
`templates/mcp_server/prompts/`, a file for each name.
"""

from dataclasses import dataclass

import mcp_types as types
from django.template.loader import render_to_string

from mcp_server import texts

LONGEST_ARGUMENT = 100  # characters; the rest is cut off
LAST_MONTH = "the last whole month"
OWN_BUSINESS = "my business"
MONTH = types.PromptArgument(
    name="month",
    title="Month",
    description=f"The month, such as 2026-10. If you leave it out: {LAST_MONTH}.",
    required=False,
)
CLIENT = types.PromptArgument(
    name="client",
    title="Client",
    description="The name of the client's business. If you leave it out, the assistant asks.",
    required=False,
)


class UnknownArgument(Exception):
    """A prompt was asked for with an argument that it does not take."""


@dataclass(frozen=True)
class Prompt:
    """A prompt that clients list as a task; with `has_month` it takes a month as an argument."""

    name: str
    title: str
    description: str
    has_month: bool = True

    def arguments(self, *, is_accountant: bool) -> list[types.PromptArgument]:
        """Return the arguments that a user may give; none is required."""
        offered = [MONTH] if self.has_month else []
        return [*offered, CLIENT] if is_accountant else offered

    def filled(self, arguments: dict[str, str], *, is_accountant: bool) -> str:
        """Return the text of the task with a user's arguments in it. Raises: UnknownArgument."""
        known = {argument.name for argument in self.arguments(is_accountant=is_accountant)}
        for name in arguments:
            if name not in known:
                raise UnknownArgument(texts.cleaned(name[:LONGEST_ARGUMENT]))
        given = {name: texts.cleaned(text[:LONGEST_ARGUMENT]) for name, text in arguments.items()}
        context = {
            "month": given.get("month") or LAST_MONTH,
            "whose": _client(given.get("client")) if is_accountant else OWN_BUSINESS,
        }
        return render_to_string(f"mcp_server/prompts/{self.name}.txt", context).strip()


PROMPTS = {
    prompt.name: prompt
    for prompt in [
        Prompt(
            "month_in_review",
            "Month in review",
            "Income, expense and profit of a month beside the month before, and what comes next.",
        ),
        Prompt(
            "set_aside_for_tax",
            "Set aside for tax",
            "The estimated tax of this year beside what is saved for it, and the next step.",
            has_month=False,
        ),
        Prompt(
            "close_checklist",
            "Close a month",
            "What is missing before the books of a month can be closed.",
        ),
        Prompt(
            "unusual_spending",
            "Unusual spending",
            "Payments of a month that do not fit the months before.",
        ),
    ]
}


def listed(*, is_accountant: bool) -> list[types.Prompt]:
    """Return the prompts in the form that the MCP lists them, for owners or for accountants."""
    return [
        types.Prompt(
            name=prompt.name,
            title=prompt.title,
            description=prompt.description,
            arguments=prompt.arguments(is_accountant=is_accountant),
        )
        for prompt in PROMPTS.values()
    ]


def _client(name: str | None) -> str:
    if not name:
        return "one of my clients (call list_customers, and ask me which one I mean)"
    return f"my client “{name}” (call list_customers for the externalId, and pass it to each tool)"
