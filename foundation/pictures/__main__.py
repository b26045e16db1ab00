"""The child process: `python -m foundation.pictures picture` or `pages`, from stdin to stdout."""

import sys

from foundation.pdf import confinement

confinement.limit_resources()
from foundation.pictures import measuring  # noqa: E402 - within the limits

work = {"picture": measuring.measure_picture, "pages": measuring.measure_pages}[sys.argv[1]]
content = sys.stdin.buffer.read()
confinement.forbid_system_calls()
sys.stdout.buffer.write(work(content))
