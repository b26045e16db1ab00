"""Policy versions: each is the one that two administrators confirmed, or that of the release."""

from collections.abc import Iterator
from typing import Final

from banking.models import StaffEvent
from onboarding.models import PolicyVersion
from onboarding.queries.decision_policy import digest_version

VERSION: Final = "policy_version"  # details of the staff event of a confirmed change
DIGEST: Final = "policy_digest"
OF_THE_RELEASE: Final = "7040ac81661f7730fa1c614c4d5e49be79be28bd10d9316f5f7ded37d89121f4"


def find_faults() -> Iterator[str]:
    """Yield a sentence for each version of the policy that is missing, changed or unconfirmed.

    A version is confirmed by a staff event with its digest; the first by the release.
    """
    events = StaffEvent.objects.filter(details__has_key=VERSION).order_by("number")
    confirmed = {one.details[VERSION]: one.details[DIGEST] for one in events}
    confirmed[1] = OF_THE_RELEASE
    versions = {one.number: one for one in PolicyVersion.objects.order_by("number")}
    for number in sorted({*confirmed, *versions}):
        version = versions.get(number)
        if version is None:
            yield f"version {number} of the decision policy is missing"
        elif version.digest != digest_version(number, version.rules):
            yield f"version {number} of the decision policy was changed"
        elif version.digest != confirmed.get(number):
            yield f"version {number} of the decision policy was confirmed by nobody"
