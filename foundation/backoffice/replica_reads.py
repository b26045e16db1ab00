"""Pages and files of the back office that are read from a replica."""

from django.conf import settings
from django.utils import timezone

from foundation.database import replica
from foundation.throttling import recent_writes


def read_page(request, view):
    """Return the page of a view that only reads, for GET and HEAD from a replica if there is one.

    With a replica, the page is returned rendered, and the view may run twice: an exception on the
    replica makes it run again on the primary. Without a replica, and for other methods, the page is
    returned as the view made it.

    Check permissions before: they are read from the primary, and cached on the user.
    """
    if not settings.DATABASE_REPLICA or request.method not in {"GET", "HEAD"}:
        return view()

    def rendered():
        page = view()
        return page.render() if hasattr(page, "render") else page

    return read_figures(request, rendered)


def read_figures(request, function):
    """Return the result of a function that only reads, from a replica if there is one.

    The function may run twice: an exception on the replica makes it run again on the primary.
    """
    return replica.read(function, wrote=wrote(request))


def read_rows(request, begin):
    """Yield the rows that the generator function `begin` reads, from a replica if there is one."""
    return replica.stream(begin, wrote=wrote(request))


def wrote(request):
    """Return whether the user of a request wrote seconds ago, and so must read from the primary."""
    return recent_writes.is_in_session(request.session, at=timezone.now())
