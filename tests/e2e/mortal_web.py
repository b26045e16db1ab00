"""The web server, with a worker that dies by SIGKILL at the moment that a call asks for.

`X-Die: reading` while the body arrives, `writing` when a file is in the store, `answering` after
everything is committed. The product knows nothing of it.
"""

import os
import signal
import sys
from functools import wraps

from django.db.backends.base.base import BaseDatabaseWrapper

from config import web
from onboarding.services.documents.file_store import FileStore

READ_BEFORE_DEATH = 1024**2


def die(*_arguments, **_options):
    os.kill(os.getpid(), signal.SIGKILL)


class Mortal:
    """The application, which obeys `X-Die`."""

    def __init__(self, application):
        self.application = application

    def __call__(self, environ, start_response):
        moment = environ.get("HTTP_X_DIE")
        if moment == "reading":
            environ["wsgi.input"] = Fuse(environ["wsgi.input"])
        if moment == "writing":
            FileStore.save = and_then_commit_never(FileStore.save)
        answer = self.application(environ, start_response)
        if moment == "answering":
            die()
        return answer


class Fuse:
    """A body during which the worker dies."""

    def __init__(self, stream):
        self.stream, self.left = stream, READ_BEFORE_DEATH
        self.readline = stream.readline

    def read(self, size):
        self.left -= size
        return self.stream.read(size) if self.left > 0 else die()


def and_then_commit_never(save):
    """Return `save`, after which the next commit is death."""

    @wraps(save)
    def save_and_arm(*arguments):
        stored = save(*arguments)
        BaseDatabaseWrapper.commit = die
        return stored

    return save_and_arm


web.application = Mortal(web.application)

if __name__ == "__main__":
    web.serve(int(sys.argv[1]))
