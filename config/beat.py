"""Beat: `python -m config.beat` has the workers look for due rows, once a second.

It keeps nothing; two of them do no harm, and none for a while delays the work only.
"""

from config.celery import app


def beat() -> None:
    """Send ticks until a signal ends it."""
    app.Beat(quiet=True).run()


if __name__ == "__main__":
    beat()
