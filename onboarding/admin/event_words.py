"""The details of events as text for staff: words in place of codes, without ids and digests."""

import re

from onboarding.choices import CheckCode, CheckResult, DenialReason, LlcFileType
from onboarding.event_types import MailKind

CALLED = {
    "code": "item",
    "for_applicant": "for the applicant",
    "is_for_applicant": "for the applicant",
    "is_temp": "temporary",
    "llc_file_type": "kind",
    "sign_in": "access",
}
CODE = re.compile(r"[A-Z][A-Z0-9_]{3,}")
SETS = {  # the closed set of a detail's values
    "code": CheckCode,
    "result": CheckResult,
    "reason_codes": DenialReason,
    "llc_file_type": LlcFileType,
    "missing_docs": LlcFileType,
    "mail": MailKind,
}
HIDDEN = ("_id", "_ids", "_digest")  # endings of the names of details that people do not read


def summary(event):
    """Return the details of an event in one line, without ids and digests."""
    said = {name: text for name, text in event.details.items() if not name.endswith(HIDDEN)}
    return "; ".join(f"{words(name)}: {as_text(text, name)}" for name, text in said.items())


def words(name):
    """Return the name of a detail in words."""
    return CALLED.get(name) or name.removeprefix("is_").replace("_", " ")


def as_text(said, name=""):
    """Return the value of a detail in words; `name` is the name of the detail."""
    if isinstance(said, bool):
        return "yes" if said else "no"
    if isinstance(said, dict):
        return ", ".join(f"{as_text(key)} ({as_text(text)})" for key, text in said.items())
    if isinstance(said, list):
        return ", ".join(as_text(one, name) for one in said) or "none"
    text = "none" if said is None else str(said)
    if name in SETS and text in SETS[name].values:
        return str(SETS[name](text).label)
    return text.replace("_", " ").capitalize() if CODE.fullmatch(text) else text
