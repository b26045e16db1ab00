"""Files of rows, compared with the SHA-256 of the row before anybody reads them.

The store authenticates a file for its name alone: a changed row can name the file of another row.
"""

import hashlib
import logging
from typing import Final

from django.core.files import File
from django.db.models.fields.files import FieldFile

from foundation.privacy.encrypted_files import UnreadableFile

logger = logging.getLogger(__name__)
PIECE_BYTES: Final = 64 * 1024


def open_verified(file: FieldFile, sha256: str, *, of: str) -> "File[bytes]":
    """Return a stored file, opened, if its content has the SHA-256. `of` names the row in the log.

    The row keeps no reference to the opened file, as it would after `file.open()`: the row and the
    file would refer to each other, and keep the content in memory until Python looks for garbage.
    Raises: FileNotFoundError, UnreadableFile, KeyServiceUnavailable.
    """
    opened: File[bytes] = file.storage.open(str(file.name), "rb")
    try:
        _require_content(opened, sha256, of=of)
    except BaseException:
        opened.close()
        raise
    return opened


def _require_content(opened: "File[bytes]", sha256: str, *, of: str) -> None:
    digest = hashlib.sha256()
    for piece in opened.chunks(PIECE_BYTES):
        digest.update(piece)
    if digest.hexdigest() != sha256:
        logger.critical("the file of %s is not the received file", of)
        raise UnreadableFile("its content has another SHA-256 than its row")
    opened.seek(0)
