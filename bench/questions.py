"""Ask the tools 60 questions of owners and accountants: `python -m bench questions`.

Each question has the shortest calls that answer it and an answer that other code adds up from the
ledger. A call's size is that of its JSON text, its tokens are counted by `bench.tokens`. The table
goes into `docs/assistants.md`.
"""

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from bench import tokens
from bench.reports import replace_section
from bench.servers import ROOT

TITLE = "Questions that the tools answer"
DOCUMENT = ROOT / "docs" / "assistants.md"
MOST_CALLS, MOST_TOKENS = 2, 4_000
HEAD = """\
The tools are asked these questions about the demo bank, by `python -m bench questions` and by a
test. Their answers are compared with figures that other code adds up from the ledger, row by row.
Tokens are those of the answers' JSON text by OpenAI's tables `o200k_base`.

To measure a client, put the questions to it, and compare what it says with the last column. Amounts
are in cents; a list has its parts in brackets. The answers are those of the demo bank on {day}. On
another day run `python -m bench questions` first: it prints the answers of the day.

| asked by | question | calls | tools | bytes | tokens | right | expected answer |
|---|---|--:|---|--:|--:|---|---|
"""
FIGURE = json.JSONEncoder(ensure_ascii=False, default=lambda value: sorted(map(str, value)))


@dataclass(frozen=True)
class Outcome:
    """What a question took, what was answered and what is right."""

    asker: str
    text: str
    tools: tuple[str, ...]
    size: int
    tokens: int
    told: Any
    expected: Any

    @property
    def figure(self) -> str:
        """Return the right answer as text, for a cell of the table."""
        return str(FIGURE.encode(self.expected)).replace('"', "").replace("|", "/")

    @property
    def is_right(self) -> bool:
        """Say whether the ledger says the same."""
        return bool(self.told == self.expected)

    @property
    def is_short(self) -> bool:
        """Say whether the calls and the tokens are few enough."""
        return len(self.tools) <= MOST_CALLS and self.tokens <= MOST_TOKENS

    def row(self) -> str:
        """Return the row of the table."""
        tools = ", ".join(f"`{tool}`" for tool in dict.fromkeys(self.tools))
        verdict = "yes" if self.is_right else "no"
        cells = [
            self.asker,
            self.text,
            len(self.tools),
            tools,
            f"{self.size:,}",
            f"{self.tokens:,}",
        ]
        return f"| {' | '.join(map(str, [*cells, verdict, self.figure]))} |\n"


def main() -> int:
    """Load the demo bank, ask, write the table; return how many questions failed."""
    import os

    from bench import databases, parts

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings_test")
    with databases.server() as url:
        os.environ["DATABASE_URL"] = url
        parts.set_up()
        with databases.in_database():
            load()
            outcomes = list(ask_all())
    replace_section(DOCUMENT, TITLE, table(outcomes))
    failed = [one for one in outcomes if not (one.is_right and one.is_short)]
    for one in failed:
        sys.stderr.write(f"{one.text}: {one.told!r}, should be {one.expected!r}; {one.tokens}\n")
    sys.stdout.write(table(outcomes))
    return len(failed)


def load() -> None:
    """Load the demo bank until today."""
    from django.utils import timezone

    from banking.demo import bank

    bank.load(bank.Wanted(until=timezone.now().date()))


def table(outcomes: Sequence[Outcome]) -> str:
    """Return the table of all questions, and what they add up to."""
    from django.utils import timezone

    right = sum(one.is_right for one in outcomes)
    most = max(one.tokens for one in outcomes)
    day = timezone.now().date()
    rows = "".join(one.row() for one in outcomes)
    return (
        f"{HEAD.format(day=day)}{rows}\n{right} of {len(outcomes)} are right, each in at most "
        f"{max(len(one.tools) for one in outcomes)} calls and {most:,} tokens.\n"
    )


def ask_all() -> Iterator[Outcome]:
    """Ask each question of the first owner or accountant of the demo bank."""
    from django.utils import timezone

    from bench import accountant_questions, owner_questions, owner_record_questions
    from bench.question_list import OWNER

    today = timezone.now().date()
    owner_record_questions.TODAY[:] = [f"{today}"]
    askers = _askers(today)
    for question in [
        *owner_questions.QUESTIONS,
        *owner_record_questions.QUESTIONS,
        *accountant_questions.QUESTIONS,
    ]:
        asker = askers[question.asker == OWNER]
        answers: list[dict[str, Any]] = []
        tools, size, taken = [], 0, 0
        for call in question.calls:
            tool, arguments = call(asker.books, answers)
            text = asker.ask(tool, arguments)
            answers.append(json.loads(text))
            tools.append(tool)
            size += len(text.encode())
            taken += tokens.count(text)
        yield Outcome(
            asker=question.asker,
            text=question.text,
            tools=tuple(tools),
            size=size,
            tokens=taken,
            told=_read(question.read, answers),
            expected=question.expected(asker.books, asker.firm),
        )


def _read(read: Any, answers: list[dict[str, Any]]) -> Any:
    """Return the answer, or the refusal that came instead."""
    if "error" in answers[-1]:
        return answers[-1]["error"]
    return read(answers)


def _askers(today: Any) -> dict[bool, Any]:
    from bench.question_askers import make_askers

    return make_askers(today)


if __name__ == "__main__":
    sys.exit(main())
