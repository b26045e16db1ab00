import pytest

from banking.models import BusinessAddress
from banking.queries.addresses import mailing_lines


@pytest.mark.parametrize(
    ("kinds", "found"),
    [
        (["REGISTERED", "MAILING"], ("MAILING Street", "Springfield, CA 90001")),
        (["REGISTERED", "OPERATIONAL"], ("REGISTERED Street", "Springfield, CA 90001")),
        ([], ()),
    ],
)
def test_mail_goes_to_the_mailing_address_if_there_is_one(make_business, kinds, found):
    business = make_business()
    for kind in kinds:
        BusinessAddress.objects.create(
            business=business,
            kind=kind,
            line1=f"{kind} Street",
            city="Springfield",
            state="CA",
            postal_code="90001",
        )

    assert mailing_lines(business.pk) == found
