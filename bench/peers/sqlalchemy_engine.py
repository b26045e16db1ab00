"""The pool of connections, and the session of a request."""

import os
from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import Depends
from psycopg.conninfo import conninfo_to_dict
from sqlalchemy import URL
from sqlalchemy.ext.asyncio import AsyncSession, async_sessionmaker, create_async_engine


def engine_url() -> URL:
    """Return the URL of the database, which may be behind a socket."""
    parts = conninfo_to_dict(os.environ["DATABASE_URL"])
    where = {"host": parts["host"], "port": str(parts.get("port", 5432))}
    return URL.create("postgresql+asyncpg", parts["user"], database=parts["dbname"], query=where)


engine = create_async_engine(engine_url(), pool_size=10, max_overflow=0)
sessions = async_sessionmaker(engine, expire_on_commit=False)


async def open_session() -> AsyncIterator[AsyncSession]:
    """Yield a session, which is closed after the answer."""
    async with sessions() as session:
        yield session


Database = Annotated[AsyncSession, Depends(open_session)]
