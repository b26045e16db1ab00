"""The businesses, accountants and clients of the demo bank."""

from dataclasses import dataclass, replace

from banking.choices import BusinessType
from banking.demo.bakery import BAKERY
from banking.demo.contractor import CONTRACTOR
from banking.demo.offers import ACCESS
from banking.demo.profiles import Person, Profile
from banking.demo.shops import CITIES, EVERYDAY
from banking.demo.studio import STUDIO

MAIN_BUSINESSES = (BAKERY, STUDIO, CONTRACTOR)
BUSINESS_USER = BAKERY.owners[0].email(BAKERY.slug)
ACCOUNTANT_USER = "priya.raman@example.com"
OTHER_BUSINESS_USER = CONTRACTOR.owners[0].email(CONTRACTOR.slug)  # no business of the first's
OTHER_ACCOUNTANT_USER = "gideon.marsh@example.com"


@dataclass(frozen=True)
class Bookkeeper:
    """An accountant of a firm."""

    email: str
    first_name: str
    last_name: str
    firm_name: str
    partner_referral_code: str


BOOKKEEPERS = (
    Bookkeeper(ACCOUNTANT_USER, "Priya", "Raman", "Oak & Ledger Bookkeeping", "OAKLEDGER"),
    Bookkeeper(OTHER_ACCOUNTANT_USER, "Gideon", "Marsh", "Marsh & Fell CPAs", "MARSHFELL"),
    Bookkeeper(
        "ines.calloway@example.com", "Ines", "Calloway", "Oak & Ledger Bookkeeping", "OAKINES"
    ),
)
# name, legal form, city, owner; the first accountant's connected ones, those that wait, those that
# took the access back, one of the second accountant, and one that neither may see
CLIENTS = (
    ("Alder Street Yoga LLC", "LLC", "portland", "Hana", "Petrov"),
    ("Amber & Ash Ceramics", "DBA", "denver", "Luis", "Montoya"),
    ("Bluestem Landscaping LLC", "LLC", "chicago", "Grace", "Okonkwo"),
    ("Brass Kettle Tea Room", "DBA", "oakland", "Mei", "Sandoval"),
    ("Cascade Bike Repair", "SSN", "portland", "Owen", "Trask"),
    ("Copper Wren Jewelry LLC", "LLC", "brooklyn", "Anya", "Feld"),
    ("Driftwood Framing", "SSN", "oakland", "Peter", "Vance"),
    ("Echo Valley Sound Inc.", "C_CORP", "denver", "Tariq", "Bloom"),
    ("Fieldstone Masonry LLC", "MMLLC", "chicago", "Rory", "Quinn"),
    ("Foxglove Florists", "DBA", "berkeley", "Ivy", "Nakamura"),
    ("Gable & Sons Roofing Inc.", "S_CORP", "austin", "Dale", "Gable"),
    ("Half Moon Dog Walking", "SSN", "brooklyn", "Zoe", "Castellan"),
    ("Ironwood Furniture LLC", "LLC", "portland", "Mateo", "Rios"),
    ("Jasper Lane Tutoring", "SSN", "chicago", "Nora", "Ellis"),
    ("Kestrel Photography", "SSN", "denver", "Simon", "Abara"),
    ("Lamplight Books LLC", "LLC", "berkeley", "Clara", "Winslow"),
    ("Maple Court Dental PC", "S_CORP", "chicago", "Farah", "Nouri"),
    ("Night Heron Coffee LLC", "LLC", "oakland", "Jude", "Moreno"),
    ("Orchard Row Childcare", "LLC", "austin", "Bea", "Lindgren"),
    ("Pinwheel Toys LLC", "MMLLC", "brooklyn", "Arlo", "Fine"),
    ("Quarry Road Climbing Inc.", "C_CORP", "denver", "Tess", "Maddox"),
    ("Riverbend Upholstery", "DBA", "portland", "Otto", "Brandt"),
    ("Saltbox Architects LLP", "LLP", "brooklyn", "Ruth", "Keane"),
    ("Thistle & Thyme Catering LLC", "LLC", "austin", "Cora", "Mbeki"),
    ("Umber Print Shop", "GENERAL_PARTNERSHIP", "chicago", "Leo", "Santos"),
    ("Vesper Cleaning Co.", "LLC", "oakland", "Dina", "Halloran"),
    ("Willow Creek Farm", "GENERAL_PARTNERSHIP", "portland", "Amos", "Reed"),
    ("Zephyr Kite Works LLC", "LLC", "berkeley", "Imani", "Frost"),
)
CONNECTED, PENDING, REVOKED = range(21), range(21, 24), range(24, 26)
OF_THE_OTHER, SEEN_BY_NOBODY = 26, 27
REFERRED = (
    ("Aster Pet Grooming", "Paula", "Varga"),
    ("Birchwood Cabinets", "Jonas", "Eide"),
    ("Cobblestone Tours", "Marta", "Silva"),
    ("Dovetail Joinery", "Ike", "Osei"),
    ("Elm City Plumbing", "Dana", "Kowalski"),
    ("Firefly Events", "Sofia", "Brandao"),
    ("Granite Peak Gym", "Alec", "Thornton"),
    ("Honeycomb Daycare", "Lucia", "Ferro"),
    ("Inkwell Tattoo", "Ray", "Delacroix"),
    ("Junction Auto Glass", "Milo", "Hart"),
    ("Kettle Hill Brewing", "Nina", "Aldous"),
    ("Lantern Street Noodles", "Bao", "Tran"),
    ("Magpie Vintage", "Edie", "Sharp"),
    ("Northlight Studio", "Hugo", "Lang"),
    ("Oxbow Canoe Rental", "June", "Whitaker"),
    ("Primrose Bakehouse", "Wren", "Castillo"),
    ("Quicksilver Couriers", "Max", "Adler"),
    ("Rosewood Spa", "Nadia", "Karim"),
    ("Stonefruit Jam Co.", "Abel", "Price"),
    ("Tamarack Tax Help", "Gwen", "Marlow"),
    ("Upland Wool", "Isla", "Munro"),
    ("Violet Hour Lounge", "Rex", "Carver"),
    ("Wagtail Kennels", "Tova", "Stein"),
    ("Yarrow Herbals", "Kit", "Lowell"),
)


def main_profiles(count: int) -> list[Profile]:
    """Return `count` profiles: the three main businesses, then numbered branches of them."""
    profiles = []
    for index in range(count):
        branch, place = divmod(index, len(MAIN_BUSINESSES))
        profile = MAIN_BUSINESSES[place]
        if branch:
            name, slug = f"{profile.legal_name} No. {branch + 1}", f"{profile.slug}{branch + 1}"
            profile = replace(profile, legal_name=name, slug=slug, has_quiet_beginning=False)
        profiles.append(profile)
    return profiles


def client_profiles() -> list[Profile]:
    """Return the profiles of the small businesses that are the accountants' clients."""
    return [
        Profile(
            slug=f"client{index + 1}",
            legal_name=name,
            business_type=BusinessType(business_type),
            state=CITIES[place].state,
            place=place,
            street=CITIES[place].streets[0],
            phone_number=f"+1312555{100 + index:04d}",
            owners=(Person(first_name, last_name),),
            plan="START",
            years_old=1 + index % 9,
            investment=4_000 + 500 * (index % 7),
            payouts=(220, 940),
            draw=900,
            purchases=7,
            shops=EVERYDAY,
        )
        for index, (name, business_type, place, first_name, last_name) in enumerate(CLIENTS)
    ]


def without_terms(profile: Profile) -> str:
    """Return the title of the terms that a business has not accepted, or an empty text.

    The access of its accountant stays pending until then.
    """
    waiting = {f"client{place + 1}" for place in PENDING}
    return ACCESS if profile.slug in waiting else ""
