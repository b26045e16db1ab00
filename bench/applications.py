"""Applications by the hundred thousand: some are made up, the others are copies of these.

To make each up takes twenty times as long. Copies have keys, ids, addresses and digests of their
own, and their moments lie some seconds apart; names, sealed numbers and the digests of events are
those of the first.
"""

from django.core.management import call_command
from django.db import transaction

from bench.scale.tables import bare, execute, rows

MADE_UP = 2_000  # more than FEW of `onboarding.demo`, so that they are spread over three years
STRIDE = 1_000_000  # between the keys of a row and those of its copies
TABLES = [  # what is pointed to comes first
    f"onboarding_{name}"
    for name in ("lead", "owner", "application", "document", "checkrun", "check", "proposal")
] + ["onboarding_event"]
POINTING = {"id", "lead_id", "application_id", "owner_id", "run_id"}
DIGESTS = {"ssn_index", "ein_index", "link_digest", "token_digest"}
OTHERWISE = {
    "external_id": "gen_random_uuid()",
    "email": "replace(email, '@', '.' || n || '@')",
    "unique_id": "CASE WHEN unique_id = '' THEN '' ELSE unique_id || '-' || n END",
}
COLUMNS = """
SELECT column_name, data_type LIKE 'timestamp%%' FROM information_schema.columns
WHERE table_schema = 'public' AND table_name = %s ORDER BY ordinal_position
"""
COPY = """
INSERT INTO {table} ({names}) SELECT {copies} FROM {table}, generate_series(1, %s) n
"""
NEXT_KEY = """
SELECT setval(pg_get_serial_sequence('{table}', 'id'), (SELECT max(id) FROM {table}))
"""


def make(count: int) -> None:
    """Make so many applications in the database, and let it look at what it has."""
    made = min(MADE_UP, count)
    call_command("make_applications", made, verbosity=0)
    multiply(count // made)
    execute("VACUUM ANALYZE")


@transaction.atomic
def multiply(times: int) -> None:
    """Have each application so many times, with all that belongs to it."""
    execute("SET LOCAL maintenance_work_mem = '256MB'")
    with bare(TABLES):
        for table in TABLES:
            columns = rows(COLUMNS, [table])
            names = ", ".join(f'"{name}"' for name, _ in columns)
            copies = ", ".join(_copied(name, is_moment=is_moment) for name, is_moment in columns)
            execute(COPY.format(table=table, names=names, copies=copies), [times - 1])
            execute(NEXT_KEY.format(table=table))


def _copied(name: str, *, is_moment: bool) -> str:
    if name in POINTING:
        return f"{name} + n * {STRIDE}"
    if name in DIGESTS:
        return f"CASE WHEN {name} = '' THEN '' ELSE md5({name} || n) END"
    if is_moment:
        return f"\"{name}\" - n * interval '7 seconds'"
    return OTHERWISE.get(name, f'"{name}"')
