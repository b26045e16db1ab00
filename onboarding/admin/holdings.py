"""Holdings: the trusts and companies that hold a business, as a nested list, EINs masked."""

from foundation.backoffice.cells import percent
from foundation.privacy.masks import mask
from onboarding.queries.holdings import THRESHOLD, add_up


def holdings_of(file):
    """Return `branches`, the trees of trusts and companies, and `totals`, the share of each person.

    None without a trust or a company.
    """
    holdings = file.holdings
    if not holdings:
        return None
    shares = add_up(file.people, holdings)
    totals = [
        {
            "name": _name(one),
            "share": percent(shares[one.external_id]),
            "is_owner": shares[one.external_id] >= THRESHOLD,
        }
        for one in file.people
    ]
    return {"branches": [_branch(one) for one in holdings], "totals": totals}


def _branch(holding):
    holder = holding.holder
    people = [
        {"name": _name(one.person), "share": percent(one.share), "whole": percent(one.of_business)}
        for one in holding.stakes
    ]
    return {
        "name": holder.name,
        "kind": holder.get_kind_display(),
        "ein": mask(holder.ein),
        "share": percent(holding.share),
        "whole": percent(holding.of_business),
        "is_rest_small": holder.is_rest_small,
        "branches": [*people, *map(_branch, holding.holdings)],
    }


def _name(person):
    return person.full_name or person.email or "No name yet"
