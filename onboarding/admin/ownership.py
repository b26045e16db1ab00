"""Ownership: the shares of a business as a server-rendered ring chart."""

from decimal import Decimal

from django.template.loader import render_to_string

from foundation.backoffice.cells import percent

WHOLE = Decimal(100)
TINTS = 8  # defined in the style sheet
TOP = Decimal(25)  # percent: an SVG circle begins at the right, a quarter after its top


def ownership_chart(people):
    """Return the HTML of a ring of the shares of people. The part that nobody holds is grey."""
    holders = [person for person in people if person.ownership_percent]
    held = sum((person.ownership_percent for person in holders), start=Decimal(0))
    context = {
        "slices": _slices(holders, max(held, WHOLE)),
        "held": percent(held),
        "is_too_much": held > WHOLE,
        "rest": percent(WHOLE - held) if held < WHOLE else "",
    }
    return render_to_string("admin/onboarding/application/ownership.html", context)


def tint_of(people):
    """Return the number of the chart colour, 0 to TINTS - 1, of each shareholder by external id."""
    holders = (person for person in people if person.ownership_percent)
    return {person.external_id: number % TINTS for number, person in enumerate(holders)}


def _slices(holders, whole):
    """Return the parts of the ring. Units: percent of the circumference."""
    tints, begun = tint_of(holders), Decimal(0)
    slices = []
    for person in holders:
        length = round(person.ownership_percent * 100 / whole, 2)
        slices.append(
            {
                "name": person.full_name or person.email,
                "share": percent(person.ownership_percent),
                "tint": tints[person.external_id],
                "length": length,
                "gap": 100 - length,
                "offset": TOP - begun,
            }
        )
        begun += length
    return slices
