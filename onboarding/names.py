"""Names: conversion of Python names to the names of the API."""

import functools
import re

DIGIT = re.compile(r"\d")
SHOWN = 4
CONTRACT = {
    "owners": "uboList",
    "documents": "documentDataList",
    "edd_answers": "eddQuestionData",
    "missing_docs": "missing_docs",
}


def camel(name: str) -> str:
    """Return a name in camel case: `phone_number` is `phoneNumber`."""
    head, *tail = name.split("_")
    return head + "".join(part.capitalize() for part in tail)


@functools.lru_cache(maxsize=1024)  # the names are written in the code
def wire(name: str) -> str:
    """Return the API name of a value of a lead or an event: `owners` is `uboList`."""
    return CONTRACT.get(name) or camel(name)


def pointer(path: tuple[str | int, ...]) -> str:
    """Return the JSON pointer of a path of API names and positions.

    Digits in a name with more than SHOWN digits become `*`: the name may be a misplaced personal
    number. Source: RFC 6901.
    """
    return "".join(f"/{_step(step)}" for step in path)


def _step(step: str | int) -> str:
    if isinstance(step, int):
        return str(step)
    name = DIGIT.sub("*", step) if len(DIGIT.findall(step)) > SHOWN else step
    return name.replace("~", "~0").replace("/", "~1")
