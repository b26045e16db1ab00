"""Lists: the readers of published sanctions lists and of lists of politically exposed persons."""

from collections.abc import Callable, Mapping
from typing import Final

from onboarding.choices import ListCode
from onboarding.screening.lists import eu, ofac, pep, uk, un
from onboarding.screening.lists.reading import Files, ReadList

Reader = Callable[[Files], ReadList]  # raises BrokenFile
READERS: Final[Mapping[ListCode, Reader]] = {
    ListCode.SDN: ofac.read,
    ListCode.CONS: ofac.read,
    ListCode.UN: un.read,
    ListCode.EU: eu.read,
    ListCode.UK: uk.read,
    ListCode.PEP: pep.read,
}
