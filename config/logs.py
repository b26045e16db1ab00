"""Structured logs: every record without personal numbers, secrets and tokens."""

import functools
import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

REDACTED = "[redacted]"
PRIVATE_KEYS = {
    "authorization", "birthdate", "content", "cookie", "ein", "secretkey", "setcookie",
}  # fmt: skip
PRIVATE_ENDINGS = ("govnumber", "passportnumber", "password", "pepper", "secret", "ssn", "token")
ID_OF_OURS = re.compile(r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")
DIGITS = tuple("0123456789")


class OwnText(str):
    """A text of this program, such as the pattern of a route; `scrub` need not search it."""

    __slots__ = ()


class Shape(NamedTuple):
    """The pattern of a private value, and its replacement.

    Every ASCII text that matches contains one of `signs` in lower case. The signs are searched
    first: a plain search is cheaper than the pattern, and most logged texts contain no sign.
    """

    signs: tuple[str, ...]
    pattern: re.Pattern[str]
    substitute: str | Callable[[re.Match[str]], str]

    def is_absent(self, lowered: str) -> bool:
        """Return whether a text in lower case cannot match the pattern."""
        for sign in self.signs:  # noqa: SIM110 - `all` takes twice as long for each text
            if sign in lowered:
                return False
        return True


PRIVATE_SHAPES = [
    Shape(  # PostgreSQL quotes the refused row or value
        ("detail:", "context:"),
        re.compile(r"\b(DETAIL|CONTEXT):.*?(?=\n[A-Z]+:|\n\n|\Z)", re.DOTALL),
        r"\1: " + REDACTED,
    ),
    Shape(
        ("ssn", "ein", "number"),
        re.compile(
            r"\b((?:ssn|ein|passport_?number|id_?gov_?number)['\"]?\s*[:=]\s*)(['\"]?)[^'\",;)}\s]+",
            re.IGNORECASE,
        ),
        r"\1\2" + REDACTED,
    ),
    Shape(  # of the address of a database or broker, in an exception
        ("://",), re.compile(r"(?<=://)[^\s/?#'\"<>]{1,256}@"), f"{REDACTED}@"
    ),
    Shape(
        ("@", "%40"),
        re.compile(r"(?<![\w.%+-])[\w.%+-]{1,64}(?:@|%40)[\w-]+(?:\.[\w-]+)+"),
        "[email]",
    ),
    Shape(("?",), re.compile(r"(?<=\S)\?[^\s'\"]+"), "?[query]"),
    Shape(
        ("/service/",),
        re.compile(r"(?:(?<=/service/api/v1/)|(?<=/service/bank/v1/))[^\s?'\"]+"),
        lambda found: _plain_path(found[0]),
    ),
    Shape(DIGITS, re.compile(r"\b\d{3}[- ]\d{2}[- ]\d{4}\b"), "***-**-****"),
    Shape(DIGITS, re.compile(r"\b\d{2}-\d{7}\b"), "**-*******"),
    Shape(DIGITS, re.compile(r"\b\d{9}\b"), "*********"),
    Shape(DIGITS, re.compile(r"(?<![\w-])\d{13,19}(?![\w-])"), "[number]"),
    Shape(
        ("sk_", "whsec_"),
        re.compile(r"\b(sk_(?:sb|live)_|whsec_)[\w+/=-]+"),
        r"\1" + REDACTED,
    ),
    Shape(
        ("/apply/", "/files/", "/join/", "/password-reset/", "/reminders/", "/welcome/"),
        re.compile(  # a mangled link, such as `/files/%3Csecret%3E`, has more than the token
            r"(/apply/+(?:owner/+|phone/+)?|/clients/join/+[^\s/?]+/+|/files/+|/join/+|"
            r"/password-reset/+[^\s/?]+/+|/reminders/+(?:owner/+)?|/welcome/+[^\s/?]+/+)"
            r"[^\s/?'\"]+",
            re.IGNORECASE,
        ),
        r"\1" + REDACTED,
    ),
    Shape(
        ("bearer ",),
        re.compile(r"\b(Bearer) [\w.~+/=-]{8,}", re.IGNORECASE),
        r"\1 " + REDACTED,
    ),
    Shape(  # has no sign, so the pattern is always searched
        ("",), re.compile(r"\b[A-Za-z0-9+/_-]{200,}={0,2}"), "[base64]"
    ),
]
OF_STRUCTLOG = {"level", "logger", "timestamp"}  # processors have set these values
DEPTH = 6
PROBES = {"GET /healthz", "GET /readyz", "GET /status"}


def scrub(value: Any, depth: int = 0) -> Any:
    """Return `value` without private values, found by their keys and patterns."""
    if depth > DEPTH:
        return "…"
    if isinstance(value, OwnText):
        return value
    if isinstance(value, str):
        return _scrub_text(value)
    if isinstance(value, Mapping):
        return {
            scrub(key): REDACTED if _is_private(key) else scrub(item, depth + 1)
            for key, item in value.items()
        }
    if isinstance(value, (list, tuple, set, frozenset)):
        return [scrub(item, depth + 1) for item in value]
    if value is None or isinstance(value, (bool, int, float)):
        return value
    return scrub(str(value), depth + 1)  # the renderer logs the string


def _scrub_text(text: str) -> str:
    lowered = text.lower() if text.isascii() else None
    for shape in PRIVATE_SHAPES:
        if lowered is None or not shape.is_absent(lowered):
            text = shape.pattern.sub(shape.substitute, text)
    return text


def scrub_event(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    """Scrub one log event and its traceback, except names that begin with an underscore."""
    return {name: _scrub_value(name, item) for name, item in event.items()}


def _scrub_value(name: str, item: Any) -> Any:
    if name in OF_STRUCTLOG or name.startswith("_"):
        return item
    return REDACTED if _is_private(name) else scrub(item, 1)


def drop_noise(_logger: WrappedLogger, method: str, event: EventDict) -> EventDict:
    """Drop the line at the start of each request, and all lines of successful health probes."""
    is_start = event.get("event") == "request_started"
    if is_start or (method == "info" and event.get("request") in PROBES):
        raise structlog.DropEvent
    return event


def configuration(*, style: str, level: str) -> dict[str, Any]:
    """Return `LOGGING`: one handler on standard error, every record scrubbed."""
    console = structlog.dev.ConsoleRenderer(colors=False, pad_event_to=0)
    renderer: Processor = structlog.processors.JSONRenderer() if style == "json" else console
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "structured": {
                "()": structlog.stdlib.ProcessorFormatter,
                "foreign_pre_chain": _shared(),
                "processors": [
                    structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                    structlog.processors.format_exc_info,
                    scrub_event,
                    renderer,
                ],
            }
        },
        "filters": {"outages": {"()": "config.outages.OutageFilter"}},
        "handlers": {
            "stderr": {
                "class": "logging.StreamHandler",
                "filters": ["outages"],
                "formatter": "structured",
            }
        },
        "root": {"handlers": ["stderr"], "level": level},
        "loggers": {
            # django-structlog logs every request with its status; Django would log it twice
            "django.request": {"level": "ERROR"},
            # django-structlog logs a wrong Host; Django would add a traceback for each scanner
            "django.security.DisallowedHost": {"level": "CRITICAL"},
            "django.db.backends": {"level": "INFO"},  # DEBUG logs each value of a statement
            "botocore": {"level": "WARNING"},  # INFO logs where it found its credentials
            "celery": {"level": "WARNING"},  # INFO logs three lines per tick
            "kombu": {"level": "WARNING"},  # INFO logs what it restores after an outage
            "oauth2_provider.models": {"level": "WARNING"},  # INFO logs each cleanup
            "oauthlib": {"level": "INFO"},  # DEBUG logs codes and tokens
            "urllib3": {"level": "ERROR"},  # WARNING logs URLs and responses
            "django.server": {"handlers": [], "propagate": False},
        },
    }


def configure_structlog() -> None:
    """Send structlog's events through the standard library's handlers."""
    structlog.configure(
        processors=[drop_noise, *_shared(), structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=True,
    )


def _shared() -> list[Processor]:
    return [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.ExtraAdder(),  # first: its values must not replace those of OF_STRUCTLOG
        structlog.stdlib.add_logger_name,
        structlog.stdlib.add_log_level,
        structlog.stdlib.PositionalArgumentsFormatter(),
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]


def _plain_path(path: str) -> str:
    """Return the path with every step that has a digit replaced, except external ids."""
    steps = path.split("/")
    return "/".join(
        "[no id]" if re.search(r"\d", step) and not ID_OF_OURS.fullmatch(step) else step
        for step in steps
    )


@functools.lru_cache(maxsize=1024)  # most keys are written in the code
def _is_private(key: object) -> bool:
    bare = str(key).lower().replace("_", "").replace("-", "")
    return bare in PRIVATE_KEYS or bare.endswith(PRIVATE_ENDINGS)
