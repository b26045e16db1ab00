"""Copies of sent mails, with links and codes masked before they are stored."""

import json
import re
from dataclasses import asdict, dataclass
from typing import Self

from django.core.mail import EmailMultiAlternatives

MASK = "••••••"
# a link's user name and password, host, and the part after it, where an applicant's secret is
LINK = re.compile(
    r"(https?://)([^\s\"'<>/?#\\]*@)?([^\s\"'<>/?#\\@]+)([/?#\\][^\s\"'<>]*)?", re.IGNORECASE
)


@dataclass(frozen=True)
class SentCopy:
    """The recipient, subject, plain text and HTML of a mail, masked."""

    to: str
    subject: str
    text: str
    html: str

    @classmethod
    def of(cls, message: EmailMultiAlternatives, *, code: str) -> Self:
        """Return the copy of a composed mail; `code` is the access code in it, if there is one."""
        html = "".join(str(part[0]) for part in message.alternatives)
        texts = (mask(str(text), code=code) for text in (message.subject, message.body, html))
        return cls(", ".join(message.to), *texts)

    @classmethod
    def read(cls, stored: str) -> Self | None:
        """Return the copy that `dump` returned as text; None for an empty text."""
        return cls(**json.loads(stored)) if stored else None

    def dump(self) -> str:
        """Return the copy as text, to be stored encrypted."""
        return json.dumps(asdict(self))


def mask(text: str, *, code: str) -> str:
    """Replace the code, and in each link the user name, the password and what follows the host."""
    masked = LINK.sub(_mask_link, text)
    return masked.replace(code, MASK) if code else masked


def _mask_link(link: re.Match[str]) -> str:
    scheme, credentials, host, path = link.groups(default="")
    return f"{scheme}{credentials and f'{MASK}@'}{host}{path and f'/{MASK}'}"
