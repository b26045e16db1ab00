"""Count the tokens of texts with the tables of OpenAI's `o200k_base`, which `bpe-openai` ships.

Other models have other tables; Anthropic publishes none. Ids and amounts cost more tokens than
words, so bytes tell little.
"""

from functools import cache
from typing import Any

ENCODING = "o200k_base"


def count(text: str) -> int:
    """Return the number of tokens of a text."""
    return len(_encoding().encode(text))


@cache
def _encoding() -> Any:
    from bpe_openai import get_encoding

    return get_encoding(ENCODING)
