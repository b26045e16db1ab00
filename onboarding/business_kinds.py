"""Business kinds: the name and explanation of each type of business, for applicants."""

from dataclasses import dataclass

from django.utils.translation import gettext_lazy as _

from banking.choices import BusinessType
from onboarding.lazy_texts import StrOrPromise


@dataclass(frozen=True)
class Kind:
    """The name and explanation of a type of business."""

    name: StrOrPromise
    help: StrOrPromise


KINDS = {
    BusinessType.LLC: Kind(
        _("LLC with one owner"), _("A limited liability company that belongs to one person.")
    ),
    BusinessType.MMLLC: Kind(
        _("LLC with several owners"),
        _("A limited liability company that belongs to two or more people."),
    ),
    BusinessType.S_CORP: Kind(
        _("S corporation"),
        _("A corporation whose shareholders pay tax on its income (IRS Form 2553)."),
    ),
    BusinessType.C_CORP: Kind(
        _("C corporation"), _("A corporation that pays tax on its own income.")
    ),
    BusinessType.GENERAL_PARTNERSHIP: Kind(
        _("General partnership"),
        _("Two or more people do business together and are liable for all of its debts."),
    ),
    BusinessType.LLP: Kind(
        _("Limited liability partnership (LLP)"),
        _("A partnership that is registered with a state and limits who is liable for its debts."),
    ),
    BusinessType.SSN: Kind(
        _("Sole proprietor"),
        _("You do business alone, in your own name and with your Social Security number."),
    ),
    BusinessType.DBA: Kind(
        _("Sole proprietor with a business name (DBA)"),
        _("You do business alone, under a name that you have registered."),
    ),
}
