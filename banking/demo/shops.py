"""The merchants and cities of the demo bank."""

from dataclasses import dataclass
from decimal import Decimal

from banking.demo.dice import Dice
from banking.demo.lines import Lines
from banking.demo.profiles import Profile, Shop
from banking.models import Location, Merchant

EVERYDAY = (
    Shop("Quill & Clip Stationers", "5943", "OFFICE_SUPPLIES", 9, 85,
         ("Printer paper", "Pens", "Folders", "Stamps"), "home"),
    Shop("Juniper Street Coffee", "5814", "MEALS", 5, 28, ("Coffee", "Sandwich", "Scone"), "home"),
    Shop("Casa Nopal Taqueria", "5812", "MEALS", 14, 96, ("Lunch plates", "Agua fresca"), "home"),
    Shop("Beacon Fuel", "5542", "VEHICLE", 32, 78, ("Regular unleaded",), "home"),
    Shop("Parcelworks", "4215", "SHIPPING", 11, 74, ("Ground parcel", "Packing tape"), "home"),
    Shop("City Garage No. 4", "7523", "VEHICLE", 6, 32, ("Parking",), "home"),
    Shop("Voltaic Electronics", "5732", "EQUIPMENT", 25, 480, ("Cables", "Keyboard", "Tablet"),
         "home"),
    Shop("Nimbus Backup", "4816", "SOFTWARE", 12, 12, ("Subscription",)),
    Shop("Postbird Mail", "5968", "ADVERTISING", 24, 24, ("Newsletter plan",)),
)  # fmt: skip
PRIVATE = (
    Shop("Meadowlark Grocery", "5411", "OWNER_DRAW", 24, 165,
         ("Groceries", "Household goods", "Fruit"), "home"),
    Shop("Silver Screen House", "7832", "OWNER_DRAW", 18, 52, ("Tickets", "Popcorn"), "home"),
    Shop("Summit & Trail Outfitters", "5941", "OWNER_DRAW", 35, 210, ("Boots", "Jacket"), "home"),
)  # fmt: skip
MACHINE = Shop("Anchor ATM Network", "6011", "CASH_WITHDRAWAL", 40, 300, (), "home")


@dataclass(frozen=True)
class City:
    """A city with the coordinates of its center and streets for shops."""

    name: str
    state: str
    postal_code: str
    latitude: str
    longitude: str
    streets: tuple[str, ...]
    country: str = "US"


CITIES = {
    "oakland": City("Oakland", "CA", "94610", "37.8112", "-122.2467",
                    ("Grand Avenue", "Lakeshore Avenue", "Telegraph Avenue")),
    "berkeley": City("Berkeley", "CA", "94702", "37.8655", "-122.2890",
                     ("San Pablo Avenue", "University Avenue")),
    "brooklyn": City("Brooklyn", "NY", "11205", "40.6954", "-73.9680",
                     ("Flushing Avenue", "Myrtle Avenue", "Bedford Avenue")),
    "austin": City("Austin", "TX", "78704", "30.2430", "-97.7690",
                   ("South Lamar Boulevard", "Barton Springs Road", "Manchaca Road")),
    "london": City("London", "", "W1U 4RJ", "51.5186", "-0.1536", ("Paddington Street",), "GB"),
    "chicago": City("Chicago", "IL", "60622", "41.9028", "-87.6730",
                    ("Division Street", "Damen Avenue")),
    "denver": City("Denver", "CO", "80205", "39.7596", "-104.9661",
                   ("Larimer Street", "Welton Street")),
    "portland": City("Portland", "OR", "97214", "45.5122", "-122.6390",
                     ("Hawthorne Boulevard", "Belmont Street")),
}  # fmt: skip


class MerchantDirectory:
    """The planned merchants and locations of the demo bank."""

    def __init__(self, lines: Lines, dice: Dice, profiles: list[Profile]) -> None:
        shops = {shop for profile in profiles for shop in (*profile.shops, *PRIVATE, MACHINE)}
        self._dice = dice
        self._merchants = {
            shop.name: Merchant(
                name=shop.name, mcc=shop.mcc, website=f"https://{_slug(shop)}.example.com"
            )
            for shop in sorted(shops, key=lambda shop: shop.name)
        }
        self._locations = self._plan_locations(profiles)
        lines.add("merchants", *self._merchants.values())
        lines.add("locations", *self._locations.values())

    def merchant(self, shop: Shop) -> Merchant:
        """Return the merchant of a shop."""
        return self._merchants[shop.name]

    def location(self, shop: Shop, home: str) -> Location | None:
        """Return the location of a shop for a business in the city `home`; None if it is online."""
        return self._locations.get(_key(shop, home))

    def _plan_locations(self, profiles: list[Profile]) -> dict[str, Location]:
        rows: dict[str, Location] = {}
        for profile in profiles:
            for shop in (*profile.shops, *PRIVATE, MACHINE):
                key = _key(shop, profile.place)
                if shop.place and key not in rows:
                    rows[key] = self._place(key, CITIES[_city(shop, profile.place)])
        return rows

    def _place(self, key: str, city: City) -> Location:
        return Location(
            key=key,
            line1=f"{self._dice.randint(100, 2900)} {self._dice.choice(city.streets)}",
            city=city.name,
            state=city.state,
            postal_code=city.postal_code,
            country=city.country,
            latitude=Decimal(city.latitude) + self._shift(),
            longitude=Decimal(city.longitude) + self._shift(),
        )

    def _shift(self) -> Decimal:
        """Return a random distance in degrees, about a mile at most."""
        return Decimal(self._dice.randint(-14_000, 14_000)).scaleb(-6)


def _city(shop: Shop, home: str) -> str:
    return home if shop.place == "home" else shop.place


def _key(shop: Shop, home: str) -> str:
    return f"{_city(shop, home)}-{_slug(shop)}"[:32]


def _slug(shop: Shop) -> str:
    letters = [letter if letter.isalnum() else "-" for letter in shop.name.lower()]
    return "-".join(filter(None, "".join(letters).split("-")))
