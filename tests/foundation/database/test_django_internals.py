"""The internals of Django that the database package uses are those of a checked release."""

import django

from foundation.database.django_internals import CHECKED_RELEASES


def test_the_release_of_django_was_checked():
    release = f"{django.VERSION[0]}.{django.VERSION[1]}"

    assert release in CHECKED_RELEASES, (
        f"Django {release} may have changed its internals. Compare each use in "
        "foundation/database/django_internals.py with its source, run tests/foundation/database "
        "on both databases and add the release to CHECKED_RELEASES."
    )
