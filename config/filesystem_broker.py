"""Embedded broker: kombu's filesystem transport with an atomic put and get.

Kombu's transport writes a message in place, so a reader may see a partial message, and it takes
messages through the system's temporary folder, which may be on another disk.
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

UNREADY = ".unready-"  # prefix of files that are being written or taken
UNREADABLE = (ValueError, LookupError, TypeError, AttributeError, RecursionError)


class Channel(filesystem.Channel):
    """Channel that publishes each message atomically, and to one reader."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        for folder in (self.data_folder_in, self.control_folder):
            Path(folder).mkdir(mode=0o700, parents=True, exist_ok=True)

    def _put(  # type: ignore[override]  # its base classes name the parameter differently
        self, queue: str, payload: Any, **_options: Any
    ) -> None:
        folder = Path(self.data_folder_out)
        draft = folder / f"{UNREADY}{uuid.uuid4()}"
        draft.write_text(dumps(payload))
        draft.replace(folder / f"{time.time_ns()}_{uuid.uuid4()}.{queue}.msg")

    def _get(self, queue: str, timeout: float | None = None) -> Any:
        """Take the oldest message of the queue; drop unreadable messages. Raises: Empty."""
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
        """Return the payload if kombu can build a message of it. Raises: an error of UNREADABLE."""
        payload = loads(content)
        message = self.Message(payload, channel=self)
        if not isinstance(message.delivery_tag, str) or not isinstance(message.delivery_info, dict):
            raise TypeError
        return payload


class Transport(filesystem.Transport):
    """Transport of `files://` broker URLs."""

    Channel = Channel
    default_connection_params: dict[str, Any] = {}  # no host or port
