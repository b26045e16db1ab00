"""Words of a search: beginnings of words in a transaction's merchant, raw name and description.

A transaction matches if its merchant's name has all words, or if its own texts have them. On
PostgreSQL an index holds each word together with its business (`0037_transaction_words`); SQLite
reads the texts of all transactions that the other conditions leave.
"""

import re
from dataclasses import dataclass
from difflib import get_close_matches

from django.db import connection

from banking.models import Business, Merchant, MerchantTotal

MOST_WORDS = 8
MOST_MERCHANTS = 200  # of all businesses; of more, those of the business are looked up
SIMILAR = 0.72  # of 1, which is equal: one wrong letter in four
WORD = re.compile(r"(?:[a-z0-9_]|[^\x00-\x7f])+")  # the same in every locale of a database
HAS_WORDS = {
    "postgresql": "banking_transaction_words(business_id, merchant_id, "
    "merchant_raw_name || ' ' || description) @@ %(words)s::tsquery",
    "sqlite": "(merchant_id IN ({merchants}) "
    "OR (merchant_raw_name || ' ' || description) REGEXP %(words)s)",
}
MERCHANTS = {
    "postgresql": "SELECT id FROM banking_merchant "
    "WHERE banking_merchant_words(name) @@ %(words)s::tsquery",
    "sqlite": "SELECT id FROM banking_merchant WHERE name REGEXP %(words)s",
}
OF_BUSINESS = """ AND id IN (
    SELECT merchant_key FROM banking_merchanttotal WHERE business_id = %(business)s
    UNION SELECT merchant_id FROM banking_transaction
    WHERE business_id = %(business)s AND status = 'PENDING'
)"""


@dataclass(frozen=True)
class Words:
    """The words that are searched, in lower case, and the merchants whose names have them all."""

    texts: tuple[str, ...]
    merchant_keys: tuple[int, ...]

    def condition(self) -> str:
        """Return the SQL condition for transactions; its parameter is the result of `value`."""
        merchants = ", ".join(map(str, self.merchant_keys)) or "NULL"
        return HAS_WORDS[connection.vendor].format(merchants=merchants)

    def value(self, business: Business) -> str:
        """Return the text query of PostgreSQL, or the regular expression of SQLite."""
        if connection.vendor == "sqlite":
            return _expression(self.texts)
        words = " & ".join(f"'{business.pk}_{text}':*" for text in self.texts)
        return " | ".join([f"({words})", *(f"'{business.pk}#{key}'" for key in self.merchant_keys)])


def words_of(query: str) -> tuple[str, ...]:
    """Return the first MOST_WORDS different words of a query, in lower case."""
    return tuple(dict.fromkeys(WORD.findall(query.lower())))[:MOST_WORDS]


def find_words(business: Business, texts: tuple[str, ...]) -> Words:
    """Return words with the merchants whose names have them all, in one statement or two.

    The merchants can be those of other businesses, too, unless they are many.
    """
    keys = _find_merchants(f" LIMIT {MOST_MERCHANTS + 1}", business, texts)
    if len(keys) > MOST_MERCHANTS:
        keys = _find_merchants(OF_BUSINESS, business, texts)
    return Words(texts, keys)


def _find_merchants(condition: str, business: Business, texts: tuple[str, ...]) -> tuple[int, ...]:
    values: dict[str, str | int] = {"words": _named(texts), "business": business.pk}
    with connection.cursor() as cursor:
        cursor.execute(MERCHANTS[connection.vendor] + condition, values)
        return tuple(key for (key,) in cursor.fetchall())


def find_similar(business: Business, texts: tuple[str, ...]) -> tuple[str, ...]:
    """Return the words with each replaced by the most similar word of a merchant's name.

    The merchants are those of the business. Empty if a word resembles none, or none differs.
    """
    known = _vocabulary(business)
    similar = tuple(_nearest(text, known) for text in texts)
    return similar if all(similar) and similar != texts else ()


def _named(texts: tuple[str, ...]) -> str:
    if connection.vendor == "sqlite":
        return _expression(texts)
    return " & ".join(f"'_{text}':*" for text in texts)


def _expression(texts: tuple[str, ...]) -> str:
    return "(?is)" + "".join(rf"(?=.*\b{re.escape(text)})" for text in texts)


def _vocabulary(business: Business) -> set[str]:
    names = MerchantTotal.objects.filter(business=business, count__gt=0)
    keys = set(names.values_list("merchant_key", "raw_name").distinct())
    known = Merchant.objects.filter(pk__in={key for key, _ in keys if key})
    texts = [*known.values_list("name", flat=True), *(raw_name for _, raw_name in keys)]
    return {word for text in texts for word in words_of(text)}


def _nearest(text: str, known: set[str]) -> str:
    """Return the text if a known word begins with it, else the most similar word, or nothing."""
    if any(word.startswith(text) for word in known):
        return text
    near = [word for word in known if abs(len(word) - len(text)) <= 2 and word[:1] == text[:1]]
    return next(iter(get_close_matches(text, near, n=1, cutoff=SIMILAR)), "")
