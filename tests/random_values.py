"""Values drawn at random in a text: an absent number can stand in one of them by chance."""

import re

RANDOM_VALUES = re.compile(
    r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"  # an id
    r"|(?<=csrfmiddlewaretoken\" value=\")\w{64}"
    r"|(?<=\d)\.\d{6}(?=Z)"  # microseconds of a time
)


def without_random_values(text):
    """Return a text without its ids, CSRF tokens and microseconds, which can contain any digits."""
    return RANDOM_VALUES.sub("", text)
