"""Scripts of PDF forms: those known to be harmless, as the forms of tax offices have them."""

import hashlib
import re
from typing import Final

TEXT = re.compile(
    r"""//[^\n\r]*|/\*.*?\*/|"(?:[^"\\\n\r]|\\[^\n\r])*"|'(?:[^'\\\n\r]|\\[^\n\r])*'""",
    re.DOTALL,
)
WORD = re.compile(r"[A-Za-z_$][\w$]*")
NOT_PLAIN = re.compile(r"[/\\`\[\]]")  # regular expressions, escapes, templates, computed names
FIELD_FUNCTION = re.compile(r"AF[A-Z]\w+")  # Acrobat's own: number, date and phone formats
HARMLESS_WORDS: Final = {
    "Array", "MainCalculation", "alert", "app", "checkThisBox", "comment", "else", "event", "false",
    "fld", "getField", "if", "isBoxChecked", "length", "maxLength", "minLength", "new", "null",
    "rc", "server", "this", "toUpperCase", "true", "value", "var",
}  # fmt: skip
# SHA-256 of what Adobe LiveCycle Designer adds to each form: "needs a newer version of Acrobat"
KNOWN_SCRIPTS: Final = {
    "0ab3d232b2f2272b7039ee3e45d0be78ade06bb45327a799559ad4a592ef5a3d",
    "529357503ec67b623d2a12816cdeea62bd639f2b4ff4e568b01c96cc3f5bfc6f",
    "812f8446cf1b6187844f5e7116cf921ee6da6407961ebe4e7ee52c843d7af754",
    "e985b5df65c8c3cf732a9074b575fbc594c1c7f0bccc0994182ec7e5c0f7308a",
}


def is_harmless_script(text: str) -> bool:
    """Return whether a script is in KNOWN_SCRIPTS, or uses harmless words only.

    These are HARMLESS_WORDS and Acrobat's own functions of fields (`AF…`). String literals and
    comments are removed first. A script that another parser could divide otherwise (not ASCII,
    regular expressions, escapes, templates, brackets) is not harmless.
    """
    if hashlib.sha256(text.encode("utf-8", "replace")).hexdigest() in KNOWN_SCRIPTS:
        return True
    bare = TEXT.sub(" ", text)
    if not text.isascii() or NOT_PLAIN.search(bare):
        return False
    return all(
        word in HARMLESS_WORDS or FIELD_FUNCTION.fullmatch(word) for word in WORD.findall(bare)
    )
