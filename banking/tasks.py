"""What workers do for the bank."""

from celery import shared_task


@shared_task
def sweep(**_added_later: object) -> None:
    """Hand out the jobs that are due."""
