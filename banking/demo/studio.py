"""The second business of the demo bank: a design studio in Brooklyn."""

from banking.choices import (
    BillFrequency,
    BusinessOwnerRole,
    BusinessType,
    FilingStatus,
    PaymentMethod,
    SignInRole,
)
from banking.demo.profiles import Item, Person, Profile, Provider, Shop
from banking.demo.shops import EVERYDAY

SHOPS = (
    Shop("Vectorly", "7372", "SOFTWARE", 54, 54, ("Team subscription",)),
    Shop("Glyphworks Foundry", "5734", "SOFTWARE", 40, 260, ("Desktop license", "Web license"),
         currency="EUR"),
    Shop("Framelight Cloud", "4816", "SOFTWARE", 25, 90, ("Hosting", "Storage")),
    Shop("Kiln & Canvas Art Supply", "5970", "OFFICE_SUPPLIES", 15, 130,
         ("Markers", "Board", "Ink", "Sketch pads"), "brooklyn"),
    Shop("Navy Yard Print Room", "7338", "OTHER_EXPENSE", 40, 420,
         ("Proofs", "Large format print", "Binding"), "brooklyn"),
    Shop("The Linden Hotel Marylebone", "7011", "TRAVEL", 140, 380, ("One night", "Breakfast"),
         "london", currency="GBP"),
    Shop("Northeast Corridor Rail", "4112", "TRAVEL", 48, 190, ("Ticket",)),
    Shop("Sable Camera Exchange", "5946", "EQUIPMENT", 60, 640, ("Lens filter", "Memory cards"),
         "brooklyn"),
)  # fmt: skip
PROVIDERS = (
    Provider("Navy Street Studios", "Ben Akers", "RENT", "Studio rent", 2650, 2650,
             frequency=BillFrequency.MONTHLY, day=1, terms=5),
    Provider("Jonah Whitfield Illustration", "Jonah Whitfield", "CONTRACTORS", "Illustration", 900,
             2600, bills_per_month=1, day=8),
    Provider("Schriftwerk Berlin GmbH", "Antje Keller", "CONTRACTORS", "Typeface design", 1100,
             2200, method=PaymentMethod.WIRE_INTERNATIONAL, bills_per_month=1, day=15, terms=21,
             iban="DE89370400440532013000", swift="SCHWDEBBXXX"),
    Provider("Gantry Insurance Brokers", "", "INSURANCE", "Professional insurance", 210, 210,
             method=PaymentMethod.CHECK, frequency=BillFrequency.MONTHLY, day=10),
    Provider("Beacon Payroll Services", "", "LEGAL_ACCOUNTING", "Payroll service", 95, 95,
             frequency=BillFrequency.MONTHLY, day=25),
)  # fmt: skip
ITEMS = (
    Item("Brand identity", "Logo, colors, type and guidelines", 4800),
    Item("Web design, sprint", "Two weeks of design", 3900, 2),
    Item("Art direction, day", "On location or in the studio", 850, 4),
    Item("Packaging design", "One product line", 2750),
    Item("Illustration", "One full page", 640, 4),
)
STUDIO = Profile(
    slug="studio",
    legal_name="Paper Lantern Design Inc.",
    business_type=BusinessType.S_CORP,
    filing_status=FilingStatus.SINGLE,
    state="NY",
    place="brooklyn",
    street="Flushing Avenue",
    phone_number="+17185550178",
    owners=(
        Person("Elena", "Marchetti", 60),
        Person("Dev", "Chaudhuri", 40, BusinessOwnerRole.UBO, SignInRole.PARTNER_FULL_ACCESS),
    ),
    years_old=6,
    investment=60_000,
    staff=(("Elena Marchetti", 6400), ("Dev Chaudhuri", 5200), ("Kofi Mensah", 3600)),
    draw=5200,
    tax_percent=9,
    purchases=18,
    shops=(*SHOPS, *EVERYDAY),
    providers=PROVIDERS,
    invoices=5,
    items=ITEMS,
    customers=("Halyard Publishing", "Moss & Moon Skincare", "Atlas Tea Company", "Cobalt Records",
               "Greenpoint Library Friends"),
    sales_tax_percent="8.875",
)  # fmt: skip
