"""manage.py budget_connections."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import connection

from config import connection_budgets
from config.connection_budgets import Machines


class Command(BaseCommand):
    help = (
        "Compute how many connections to PostgreSQL the programs hold at most, with the settings "
        "of this environment, and compare them with max_connections of the server. Exits with 1 "
        "if they are too many."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--web", type=int, default=2, help="Web servers (default 2).")
        parser.add_argument("--workers", type=int, default=2, help="Workers (default 2).")
        parser.add_argument("--beats", type=int, default=1, help="Beats (default 1).")
        parser.add_argument(
            "--others", type=int, default=10, help="Commands, backups, monitoring (default 10)."
        )
        parser.add_argument(
            "--pool",
            type=int,
            help="Connections that a pooler opens: default_pool_size times its pairs of "
            "database and role.",
        )

    def handle(
        self,
        *,
        web: int,
        workers: int,
        beats: int,
        others: int,
        pool: int | None,
        **_options: Any,
    ) -> None:
        if connection.vendor != "postgresql":
            raise CommandError("The database is SQLite, which has no limit of connections.")
        machines = Machines(web, workers, beats, others)
        lines = connection_budgets.lines_of(machines)
        for name, count, sum_of in lines:
            self.stdout.write(f"{count:6,}  {name}: {sum_of}")
        clients = sum(count for _, count, _ in lines)
        usable = connection_budgets.usable_connections()
        self.stdout.write(f"{clients:6,}  in all; the server has {usable:,} for them")
        self.stdout.write(connection_budgets.verdict(clients, usable, machines, pool=pool))
        if not connection_budgets.fits(clients, usable, machines, pool=pool):
            raise SystemExit(1)
