"""Destinations: the pages and the address that a partner's applicants are led to.

A second administrator confirms each new one: one person alone could lead them to a false page.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from banking.models import StaffChange, User
from banking.services import staff_changes
from onboarding.models import Partner
from onboarding.services.partners import appearance
from onboarding.services.partners.appearance import Appearance

VALUES: Final = {  # names of Appearance, and what a new value means
    "support_email": "Applicants of {partner} are told to write to {value}.",
    "return_url": "Applicants of {partner} return to {value}.",
}


def split_new(partner: Partner, wanted: Appearance) -> tuple[Appearance, list[str], dict[str, str]]:
    """Split a wanted appearance into the part to save at once and the destinations to confirm.

    Shape: the appearance to save, which keeps the partner's present support email and return URL
    in place of new ones; the new origins; the new values of VALUES by name. Removals are saved.
    """
    origins = [one for one in wanted.embed_origins if one not in partner.embed_origins]
    said = vars(wanted)
    values = {name: said[name] for name in VALUES if said[name] not in {"", getattr(partner, name)}}
    kept = {
        "embed_origins": tuple(one for one in wanted.embed_origins if one not in origins),
        **{name: getattr(partner, name) for name in values},
    }
    return replace(wanted, **kept), origins, values


def propose(
    partner: Partner,
    origins: Sequence[str] = (),
    values: Mapping[str, str] | None = None,
    *,
    by: User,
    at: datetime,
) -> StaffChange:
    """Propose new origins, and a new support email or return URL, to a second administrator.

    `values` has these two under their names in VALUES; an absent value stays as it is.
    Raises: AccountTooNew.
    """
    values = values or {}
    summary = [f"Pages of {origin} can show the application of {partner}." for origin in origins]
    summary += [VALUES[name].format(partner=partner, value=value) for name, value in values.items()]
    payload = {"partner": partner.pk, "origins": list(origins), "values": dict(values)}
    return staff_changes.propose(DESTINATIONS, payload=payload, summary=summary, by=by, at=at)


def _basis(change: StaffChange) -> Any:
    partners = Partner.objects.filter(pk=change.payload["partner"])
    proposed = _values(change)
    names = [name for name in VALUES if name in proposed]  # jsonb does not keep the order of keys
    return list(partners.values_list("name", "embed_origins", *names))


def _carry_out(change: StaffChange) -> None:
    partner = Partner.objects.get(pk=change.payload["partner"])
    appearance.admit_origins(partner, change.payload["origins"], **_values(change))


def _values(change: StaffChange) -> dict[str, str]:
    """Return the proposed support email and return URL; a proposal of release 1.0.0 has neither."""
    values: dict[str, str] = change.payload.get("values", {})
    return values


DESTINATIONS = staff_changes.register(
    staff_changes.Kind("ORIGINS", "Where applicants are led", _basis, _carry_out)
)
