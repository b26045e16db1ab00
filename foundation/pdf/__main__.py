"""The child process: `python -m foundation.pdf check` or `draw NUMBER`, from stdin to stdout."""

import logging
import sys
from collections.abc import Callable

from foundation.pdf import confinement

work: Callable[[bytes], bytes]
confinement.limit_resources()
logging.disable()  # pypdf logs each fault of a file
match sys.argv[1:]:
    case ["check"]:
        from foundation.pdf.active_content import find_active_content

        work = find_active_content
    case ["draw", number]:
        from foundation.pdf.drawing import draw_page

        work = draw_page(int(number))
content = sys.stdin.buffer.read()
confinement.forbid_system_calls()
sys.stdout.buffer.write(work(content))
