"""The roles that the screen of users gives."""

from foundation.backoffice.site import role_names
from onboarding.roles import ROLES

role_names.update(role.name for role in ROLES)
