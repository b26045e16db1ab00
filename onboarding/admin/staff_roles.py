"""Staff roles: registers the roles that the screen of users offers."""

from foundation.backoffice.site import role_names
from onboarding.roles import ROLES

role_names.update(role.name for role in ROLES)
