"""Hash a few text columns to one integer on PostgreSQL, for a smaller index than of the texts."""

from typing import Any

from django.db import models

TEMPLATES = {  # SQLite has no such function: there the texts themselves are compared
    "postgresql": "hashtext({})",
    "sqlite": "({})",
}


class TextHash(models.Func):
    """The hash of concatenated texts; on SQLite the concatenated texts themselves.

    Other texts may have the same hash, so a query must compare the texts, too.
    """

    arg_joiner = " || "
    template = TEMPLATES["sqlite"].format("%(expressions)s")
    output_field = models.TextField()

    def as_postgresql(self, compiler: Any, connection: Any) -> Any:
        template = TEMPLATES["postgresql"].format("%(expressions)s")
        return self.as_sql(compiler, connection, template=template)


def text_hash_sql(vendor: str, *columns: str) -> str:
    """Return the SQL expression of TextHash, for a database vendor."""
    return TEMPLATES[vendor].format(TextHash.arg_joiner.join(columns))
