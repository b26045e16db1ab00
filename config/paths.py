"""Paths by their callers, for code that runs before Django has found the view.

A new path for programs, a new page or a new upload is entered here. Paths of the signed-in pages
are in `mcp_server.pages.paths`.
"""

import re
from typing import Final

PARTNER_API: Final = "/service/api/"
VERIFICATION: Final = "/service/verification/"  # callbacks of providers
BANK_API: Final = "/service/bank/"  # the record feed, whose batches are longer than other bodies
APIS: Final = (PARTNER_API, BANK_API)
WITH_FILES: Final = (  # uploads: documents, logos and records
    PARTNER_API,
    "/apply/",
    "/connect/",
    "/admin/onboarding/partner/",
    "/admin/banking/feedupload/",
)
# Programs that send secrets, so a call by plain HTTP is refused instead of redirected
WITH_SECRETS: Final = re.compile(
    r"/(?:service/api(?!/v1/docs)|service/bank|service/verification|mcp|token|revoke|register|files|connect/v1/frame)(?:/|$)"
)
# Programs whose requests need no session and no header policies of pages
FOR_PROGRAMS: Final = re.compile(
    r"/(?:service/api/v1/(?!docs)|service/(?:bank|verification)/|(?:mcp|healthz|readyz|status)\Z)"
)
# Pages in the reader's language
FOR_READERS: Final = re.compile(
    r"/(?:sign-in|sign-out|password|password-reset|second-factor|authorize|connect(?!/v1/)"
    r"|books|connected-assistants|files|account|clients|language|apply|join|reminders|welcome)(?:/|$)"
)


def is_of_an_api(path: str) -> bool:
    """Return whether a path is below `/service/api` or `/service/bank`, or one of the two."""
    return f"{path}/".startswith(APIS)
