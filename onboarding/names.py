"""The contract's spelling of our names: the one place that knows both."""

CONTRACT = {"owners": "uboList", "documents": "documentDataList", "edd_answers": "eddQuestionData"}


def camel(name: str) -> str:
    """Return a name in camel case: `phone_number` is `phoneNumber`."""
    head, *tail = name.split("_")
    return head + "".join(part.capitalize() for part in tail)


def wire(name: str) -> str:
    """Return what a request calls a value of a lead: `owners` is `uboList`."""
    return CONTRACT.get(name) or camel(name)


def pointer(path: tuple[str | int, ...]) -> str:
    """Return the JSON pointer of a path of wire names and positions.

    Source: RFC 6901.
    """
    steps = (str(step).replace("~", "~0").replace("/", "~1") for step in path)
    return "".join(f"/{step}" for step in steps)
