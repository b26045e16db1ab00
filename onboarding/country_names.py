"""Country names: in the reader's language, and found by typed words."""

from typing import Final

from foundation.code_lists import NamedCodes
from onboarding.geography import DATA

OTHER_NAMES = {
    **dict.fromkeys(["usa", "us of a", "united states of america", "america", "eeuu"], "US"),
    **dict.fromkeys(["uk", "great britain", "england", "scotland", "wales", "inglaterra"], "GB"),
    **dict.fromkeys(["holland", "holanda"], "NL"),
    **dict.fromkeys(["korea", "corea", "republic of korea"], "KR"),
    **dict.fromkeys(["turkey"], "TR"),
    **dict.fromkeys(["ivory coast"], "CI"),
    **dict.fromkeys(["czech republic", "republica checa"], "CZ"),
    **dict.fromkeys(["uae"], "AE"),
    **dict.fromkeys(["burma"], "MM"),
    **dict.fromkeys(["mainland china", "prc"], "CN"),
}
COUNTRY_NAMES: Final = NamedCodes(DATA / "countries.csv", OTHER_NAMES)
