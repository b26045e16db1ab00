"""The kind of a transaction as one number: an index compares that in one step, and is smaller."""

from typing import Any

from django.db import models

NUMBER = {  # SQLite has no such function; there it is the texts themselves
    "postgresql": "hashtext({})",
    "sqlite": "({})",
}


class KindNumber(models.Func):
    """The number of a few texts. Others may have the same: compare the texts too."""

    arg_joiner = " || "
    template = NUMBER["sqlite"].format("%(expressions)s")
    output_field = models.TextField()

    def as_postgresql(self, compiler: Any, connection: Any) -> Any:
        template = NUMBER["postgresql"].format("%(expressions)s")
        return self.as_sql(compiler, connection, template=template)


def number_of(vendor: str, *columns: str) -> str:
    """Return the number in the SQL of a database."""
    return NUMBER[vendor].format(KindNumber.arg_joiner.join(columns))
