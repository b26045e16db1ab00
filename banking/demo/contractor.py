"""The third business of the demo bank: a contractor in Austin, a sole proprietor."""

from banking.choices import BillFrequency, BusinessType, FilingStatus, PaymentMethod
from banking.demo.profiles import Item, Person, Profile, Provider, Shop
from banking.demo.shops import EVERYDAY

SHOPS = (
    Shop("Barton Ridge Lumber", "5211", "INVENTORY", 45, 480,
         ("Two-by-fours", "Plywood", "Deck screws", "Joist hangers"), "austin"),
    Shop("Longhorn Hardware", "5251", "REPAIRS", 12, 190,
         ("Drill bits", "Sandpaper", "Wood glue", "Saw blade"), "austin"),
    Shop("Copperhead Tool Rental", "7394", "EQUIPMENT", 65, 310,
         ("Trencher, one day", "Scaffold, one day"), "austin"),
    Shop("Mesquite Fuel Stop", "5541", "VEHICLE", 48, 96, ("Diesel",), "austin"),
    Shop("Hill Country Tire & Lube", "7538", "VEHICLE", 60, 420, ("Oil change", "Tires"),
         "austin"),
    Shop("Pecan Street Paints", "5231", "INVENTORY", 32, 210, ("Primer", "Exterior paint"),
         "austin"),
    Shop("Jobsite Planner", "7372", "SOFTWARE", 29, 29, ("Subscription",)),
)  # fmt: skip
PROVIDERS = (
    Provider("Barton Ridge Lumber Yard", "Hank Dillard", "INVENTORY", "Lumber, delivered", 520,
             1350, bills_per_month=2, day=5, terms=21),
    Provider("Ruiz Electric", "Carmen Ruiz", "CONTRACTORS", "Electrical work", 450, 1200,
             method=PaymentMethod.CHECK, bills_per_month=1, day=16),
    Provider("Lone Star Surety", "", "INSURANCE", "Insurance and bond", 260, 260,
             frequency=BillFrequency.MONTHLY, day=2),
    Provider("Capitol Storage Units", "", "RENT", "Storage", 185, 185,
             frequency=BillFrequency.MONTHLY, day=1, terms=7),
)  # fmt: skip
ITEMS = (
    Item("Carpentry, day", "One carpenter with tools", 620, 6),
    Item("Deck repair", "Boards and railing", 1450),
    Item("Door installation", "Frame, door and trim", 540, 3),
    Item("Materials", "At cost", 380, 2),
)
CONTRACTOR = Profile(
    slug="contractor",
    legal_name="Wyatt Delgado",
    business_type=BusinessType.SSN,
    filing_status=FilingStatus.HEAD_OF_HOUSEHOLD,
    state="TX",
    place="austin",
    street="South Lamar Boulevard",
    phone_number="+15125550163",
    owners=(Person("Wyatt", "Delgado"),),
    years_old=4,
    investment=14_000,
    checks=(650, 1700),
    draw=5200,
    tax_percent=16,
    purchases=20,
    private_percent=22,
    shops=(*SHOPS, *EVERYDAY),
    providers=PROVIDERS,
    invoices=4,
    items=ITEMS,
    customers=("Zilker Property Group", "Marisol Vega", "Oakwood Homeowners", "Blanco River Lodge",
               "Grayson Pike"),
    sales_tax_percent="8.25",
)  # fmt: skip
