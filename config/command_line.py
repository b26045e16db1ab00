"""Console scripts: `vestibule` starts a program, `vestibule-manage` is `manage.py`."""

import gc
import importlib
import os
import sys
from argparse import ArgumentParser, Namespace
from importlib import metadata
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line

from config import deployment, development_secrets, env, folders
from foundation.privacy.aws_kms import KeyServiceUnavailable

VERIFY_THEMSELVES = {"up", "verify_keys", "accept_secrets"}


def manage() -> None:
    """Run the management command of `sys.argv`.

    Exits with the text of a wrong setting, or of a key service that does not answer.
    """
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    gc.disable()  # until the apps are loaded, in config.apps: modules stay, so there is no garbage
    if VERIFY_THEMSELVES.isdisjoint(sys.argv[1:2]):
        deployment.verify_commands()
    try:
        execute_from_command_line(sys.argv)
    except (ImproperlyConfigured, KeyServiceUnavailable) as exc:
        sys.exit(str(exc))


def vestibule() -> None:
    """Start the program that `sys.argv` names: up, web, worker or beat.

    Exits with the text of a wrong setting, or of a key service that does not answer.
    """
    parser = ArgumentParser("vestibule", description="The front door of a business bank.")
    parser.add_argument("--version", action="version", version=metadata.version("vestibule"))
    programs = parser.add_subparsers(required=True, metavar="PROGRAM")
    up = programs.add_parser("up", help="all programs on this machine; a sandbox with its demo")
    up.add_argument("--data", type=Path, metavar="FOLDER", help=f"default: {folders.data()}")
    up.set_defaults(start=_up)
    web = programs.add_parser("web", help="the web server")
    web.add_argument("port", type=int, nargs="?", default=8000)
    web.set_defaults(start=lambda given: importlib.import_module("config.web").serve(given.port))
    worker = programs.add_parser("worker", help="a worker")
    worker.set_defaults(start=lambda _given: importlib.import_module("config.worker").work())
    beat = programs.add_parser("beat", help="beat, which sends the workers a tick each second")
    beat.set_defaults(start=lambda _given: importlib.import_module("config.beat").run())
    given = parser.parse_args()
    try:
        given.start(given)
    except (ImproperlyConfigured, KeyServiceUnavailable) as exc:
        sys.exit(str(exc))


def _up(given: Namespace) -> None:
    """Run `manage.py up`, on the folder that `given` names, else on the default one.

    A sandbox without a file of secrets in it first gets one with new secrets.
    """
    if given.data:
        os.environ["DATA_DIR"] = str(given.data.absolute())
    if env.text("ENVIRONMENT", "sandbox") == "sandbox":
        development_secrets.write(folders.data() / "secrets.env")
    sys.argv = [sys.argv[0], "up"]
    manage()
