"""Settings judged by copies of one process that has loaded `config.checks`: quicker than programs.

Each copy has an environment of its own and loads `config.settings` in it.
"""

import multiprocessing
import os
import traceback

CONTEXT = multiprocessing.get_context("forkserver")
CONTEXT.set_forkserver_preload(["config.checks", "config.logs"])


def report_on(environment):
    """Return the hints by fault, or the line with which a program would end."""
    answers, answer = CONTEXT.Pipe(duplex=False)
    copy = CONTEXT.Process(target=_judge, args=(environment, answer))
    copy.start()
    answer.close()
    with answers:
        report = answers.recv()
    copy.join()
    copy.close()
    return report


def _judge(environment, answer):
    os.environ.clear()
    os.environ.update(environment, DJANGO_SETTINGS_MODULE="config.settings")
    try:
        from config import checks

        report = {fault.msg: fault.hint or "" for fault in checks.production_is_safe()}
    except SystemExit as exc:
        report = str(exc)
    except Exception as exc:  # noqa: BLE001 - the test judges what a program would say
        report = traceback.format_exception_only(exc)[-1].strip()
    answer.send(report)
