"""Folders of a deployment: of the code, of templates and texts, and of its data.

In a checkout `templates`, `locale` and `var` lie beside this package; the wheel has templates and
texts within it, so that it adds no folder of such a common name to site-packages.
"""

import os
from pathlib import Path
from typing import Final

PACKAGE: Final = Path(__file__).resolve().parent
CODE: Final = PACKAGE.parent  # the checkout, or site-packages
IS_INSTALLED: Final = (PACKAGE / "templates").is_dir()
RESOURCES: Final = PACKAGE if IS_INSTALLED else CODE  # the parent of `templates` and `locale`


def data() -> Path:
    """Return the folder that DATA_DIR names.

    Without DATA_DIR it is `var` of the checkout, or for an installed wheel a folder of the user.
    """
    named = os.environ.get("DATA_DIR")
    return Path(named).absolute() if named else _users_folder() if IS_INSTALLED else CODE / "var"


def _users_folder() -> Path:
    """Return the folder of the user's data. Source: XDG Base Directory Specification."""
    parent = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(parent) / "vestibule"
