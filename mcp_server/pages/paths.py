"""Paths of requests for which the middleware of the signed-in pages looks at no session or code."""

import re
from typing import Final

WITHOUT_PAGES: Final = (
    r"static|healthz|readyz|status|service|mcp|token|revoke|register|\.well-known|apply|join"
)
# No session is looked at: programs, and applicants, whose sessions are their own
NO_SESSION: Final = re.compile(rf"/(?:{WITHOUT_PAGES}|connect/v1)(?:/|$)")
# Reached without the second factor: programs, applicants, and the steps of signing in
WITHOUT_CODE: Final = re.compile(
    rf"/(?:{WITHOUT_PAGES}|connect|sign-in|sign-out|password-reset|language|files)(?:/|$)"
)
# Reached by users who must enrol a second factor first
ENROLMENT: Final = re.compile(r"/second-factor(?:/(?:confirm|app|passkey))?")
# A password or a code is posted here
SIGN_IN_STEP: Final = re.compile(r"/(?:sign-in(?:/code)?|admin/login)/?$")
# The pages that sign in themselves
SIGN_IN: Final = re.compile(r"/(?:sign-in|admin/login)/?$")
