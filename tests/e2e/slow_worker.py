"""The worker, with a kind of job that takes its time, and whose lease is short.

The product knows nothing of it. A job of the kind `slow` ends when there is the file that its
arguments name; until then it tells its progress.
"""

import time
from datetime import timedelta
from pathlib import Path

from config import worker
from foundation.jobs.registry import job


@job("slow", lease=timedelta(seconds=3))
def be_slow(work, *, at):
    steps = 0
    while not Path(work.arguments["until"]).exists():
        steps += 1
        work.progress(steps, 0)
        time.sleep(0.1)
    return "it is there"


if __name__ == "__main__":
    worker.work()
