"""The time that a connection waits for PostgreSQL to answer a statement."""

MARGIN_SECONDS = 2.0  # for a server that should have cancelled the statement but is frozen


def answer_seconds(statement_seconds: float) -> float | None:
    """Return the time to wait for a statement with this `statement_timeout`.

    Units: seconds. None means no limit, which 0 stands for in PostgreSQL.
    """
    return statement_seconds + MARGIN_SECONDS if statement_seconds else None
