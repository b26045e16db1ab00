"""The back office and the bank's screens in it, one module per noun."""

from foundation.modules import import_modules

import_modules(__name__)
