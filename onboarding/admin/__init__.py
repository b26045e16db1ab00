"""Back-office screens of onboarding, one module per noun."""

from foundation.modules import import_modules

import_modules(__name__)
