"""The embedded broker: kombu's filesystem transport, with a put and a get that are atomic.

Kombu's own writes a message under the name by which it is read, so a reader may meet half of it,
and takes messages through the system's temporary folder, which may lie on another disk.
"""

import logging
import time
import uuid
from pathlib import Path
from queue import Empty
from typing import Any

from kombu.transport import filesystem
from kombu.utils.json import dumps, loads

logger = logging.getLogger(__name__)

UNREADY = ".unready-"  # begins the names of messages that are being written, or taken
UNREADABLE = (ValueError, LookupError, TypeError, AttributeError, RecursionError)


class Channel(filesystem.Channel):
    """A channel whose messages appear whole, and go to one reader."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        for folder in (self.data_folder_in, self.control_folder):
            Path(folder).mkdir(mode=0o700, parents=True, exist_ok=True)

    def _put(  # type: ignore[override]  # its bases disagree on the name
        self, queue: str, payload: Any, **_options: Any
    ) -> None:
        folder = Path(self.data_folder_out)
        draft = folder / f"{UNREADY}{uuid.uuid4()}"
        draft.write_text(dumps(payload))
        draft.replace(folder / f"{time.time_ns()}_{uuid.uuid4()}.{queue}.msg")

    def _get(self, queue: str, timeout: float | None = None) -> Any:
        """Take the oldest message. Raises: Empty."""
        folder = Path(self.data_folder_in)
        for name in sorted(path.name for path in folder.iterdir()):
            if name.partition(".")[2] != f"{queue}.msg":
                continue
            taken = folder / f"{UNREADY}{uuid.uuid4()}"
            try:
                (folder / name).rename(taken)
            except FileNotFoundError:
                continue  # another reader was faster
            content = taken.read_bytes()
            taken.unlink()
            try:
                return self._read(content)
            except UNREADABLE as exc:
                logger.warning("message %s cannot be read (%s): dropped", name, type(exc).__name__)
        raise Empty

    def _read(self, content: bytes) -> Any:
        """Return a message of which kombu can make one. Raises: one of UNREADABLE."""
        payload = loads(content)
        message = self.Message(payload, channel=self)
        if not isinstance(message.delivery_tag, str) or not isinstance(message.delivery_info, dict):
            raise TypeError
        return payload


class Transport(filesystem.Transport):
    """The transport of `files://`."""

    Channel = Channel
    default_connection_params: dict[str, Any] = {}  # no host: the folders are enough
