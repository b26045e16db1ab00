"""Signed names: the comparison of a typed signature with the name that a person entered."""

import re
import unicodedata

SUFFIXES = {"jr", "sr", "ii", "iii", "iv", "v"}  # after a last name, often left out
LETTERS = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ð": "d", "æ": "ae", "œ": "oe"})
JOINED = re.compile("['`\u00b4\u02bc\u2018\u2019]")  # apostrophes: O'Brien is one word


def is_own_name(signed: str, *, first_name: str, last_name: str) -> bool:
    """Return whether a signature has the first and the last name of a person.

    Case, accents, punctuation, a suffix of the last name, and middle names do not matter. Of
    several first names one is enough; an initial is not, unless the person entered no more. An
    empty first or last name is not compared.
    """
    words = _words(signed)
    runs = {
        "".join(words[start:end])
        for start in range(len(words))
        for end in range(start + 1, len(words) + 1)
    }
    firsts, lasts = _words(first_name), _words(last_name)
    lasts = [word for word in lasts if word not in SUFFIXES] or lasts
    whole = [word for word in firsts if len(word) > 1] or firsts
    has_first = not firsts or "".join(firsts) in runs or any(word in words for word in whole)
    return has_first and (not lasts or "".join(lasts) in runs)


def _words(name: str) -> list[str]:
    """Return the words of a name in comparable form: `José-María` is `jose` and `maria`."""
    letters = unicodedata.normalize("NFKD", JOINED.sub("", name)).casefold().translate(LETTERS)
    plain = "".join(letter for letter in letters if not unicodedata.combining(letter))
    return re.findall(r"[^\W_]+", plain)
