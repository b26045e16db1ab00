"""Documentation sections: text that `make docs` writes between two markers."""


def begin(name: str) -> str:
    """Return the HTML comment that marks the beginning of a generated section."""
    return f"<!-- {name}: written by make docs -->"


def end(name: str) -> str:
    """Return the HTML comment that marks the end of a generated section."""
    return f"<!-- end of {name} -->"


def replace_section(page: str, name: str, text: str) -> str:
    """Return a page with the text of a section replaced. The page must have both markers."""
    head, _, rest = page.partition(begin(name))
    _, _, tail = rest.partition(end(name))
    return f"{head}{begin(name)}\n{text}\n{end(name)}{tail}"
