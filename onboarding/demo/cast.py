"""Names and texts of generated leads, partners and staff; all of them are invented."""

from banking.choices import BusinessType
from onboarding.choices import ProposalKind


def _words(text: str) -> list[str]:
    return text.split()


PARTNERS = ["Harbor Ledger", "Tally Books", "Pinewood Payroll", "Northstar Commerce"]
STAFF = [("Dana", "Reyes"), ("Iris", "Lindqvist"), ("Omar", "Haddad"), ("June", "Park")]
FIRST_NAMES = _words(
    "Ada Alan Amara Ben Chloe Diego Elena Farid Grace Hana Igor Jada Kofi Lena Marco Nadia "
    "Oscar Priya Quinn Rosa Samir Tess Uma Viktor Wren Ximena Yusuf Zora"
)
LAST_NAMES = _words(
    "Abbott Bianchi Castillo Dubois Eriksen Farrow Guzman Hopper Ito Jensen Kowalski Lovelace "
    "Moreau Nguyen Okafor Patel Quigley Romero Silva Turing Ueda Vargas Whitaker Xu Young "
    "Zeller"
)
PLACES = _words(
    "Harbor Cedar Granite Lark Juniper Beacon Copper Maple Prairie Saltwater Foxglove "
    "Ironwood Lantern Meadow Orchard Pinecrest Quiet Redwood Sable Tidewater Umber Violet "
    "Willow Yarrow"
)
TRADES = {  # trade in the name of a business, and its NAICS code
    "Coffee Roasters": "311920",
    "Bakery": "311811",
    "Dental": "621210",
    "Freight": "484121",
    "Books": "459210",
    "Interiors": "541410",
    "Landscaping": "561730",
    "Software": "541511",
    "Bicycle Repair": "811490",
    "Catering": "722320",
    "Veterinary Care": "541940",
    "Tutoring": "611691",
    "Plumbing": "238220",
    "Film Works": "512110",
    "Physical Therapy": "621340",
    "Pet Supplies": "459910",
}
ENDINGS = {
    BusinessType.LLC: "LLC",
    BusinessType.MMLLC: "LLC",
    BusinessType.C_CORP: "Inc.",
    BusinessType.S_CORP: "Inc.",
    BusinessType.LLP: "LLP",
    BusinessType.GENERAL_PARTNERSHIP: "& Partners",
    BusinessType.DBA: "",
    BusinessType.SSN: "",
}
TYPES = {  # percent
    BusinessType.LLC: 38,
    BusinessType.MMLLC: 17,
    BusinessType.S_CORP: 13,
    BusinessType.C_CORP: 11,
    BusinessType.SSN: 9,
    BusinessType.DBA: 6,
    BusinessType.GENERAL_PARTNERSHIP: 4,
    BusinessType.LLP: 2,
}
OWNERS = {  # besides the applicant
    BusinessType.MMLLC: 2,
    BusinessType.S_CORP: 1,
    BusinessType.C_CORP: 2,
    BusinessType.GENERAL_PARTNERSHIP: 1,
    BusinessType.LLP: 1,
}
STREETS = ["Mill Road", "Harbor Street", "Elm Avenue", "Station Lane", "Orchard Way"]
TOWNS = [  # city, state, postal code, area code
    ("Portland", "OR", "97204", "503"),
    ("Denver", "CO", "80202", "303"),
    ("Austin", "TX", "78701", "512"),
    ("Columbus", "OH", "43215", "614"),
    ("Savannah", "GA", "31401", "912"),
    ("Boise", "ID", "83702", "208"),
]
RISKS = {  # factor, value, points and reason of the rules for each risk
    "LOW": [("BUSINESS_TYPE", "LLC", 5, "A single person decides.")],
    "MEDIUM": [
        ("NAICS", "4841", 15, "Freight is often paid in cash."),
        ("CHECK", "DUPLICATE_EIN", 15, "Another lead has the EIN."),
    ],
    "HIGH": [
        ("OWNER_ABROAD", "*", 30, "An owner lives abroad."),
        ("CHECK", "SANCTIONS", 40, "A name resembles one on the sanctions list."),
    ],
}
REASONS = {
    ProposalKind.DENY: "The registry has no such business, and nobody answers the phone.",
    ProposalKind.APPROVE: "The name on the sanctions list is that of somebody born in 1931.",
}
DENIAL = "We could not verify the business from what you sent us."
