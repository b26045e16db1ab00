#!/usr/bin/env python
"""Run a management command."""

import os
import sys

from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line

from config import deployment
from foundation.privacy.aws_kms import KeyServiceUnavailable

VERIFY_THEMSELVES = {"up", "verify_keys", "accept_secrets"}

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    if VERIFY_THEMSELVES.isdisjoint(sys.argv[1:2]):
        deployment.verify_commands()
    try:
        execute_from_command_line(sys.argv)
    except (ImproperlyConfigured, KeyServiceUnavailable) as exc:
        sys.exit(str(exc))
