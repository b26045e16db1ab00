"""manage.py create_partner."""

import pytest
from django.core.management import CommandError

from onboarding.models import Partner


def test_a_partner_is_registered(run):
    [line] = run("create_partner", " Acme ")

    partner = Partner.objects.get()
    assert partner.name == "Acme"
    assert line == f"registered Acme, {partner.external_id}"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("Acme", "Partner with this Name already exists."),
        (" Acme", "Partner with this Name already exists."),
        (" ", "This field cannot be blank."),
        ("a" * 101, "Ensure this value has at most 100 characters (it has 101)."),
    ],
)
def test_a_name_is_one_partners_and_neither_blank_nor_long(run, make_partner, name, message):
    make_partner(name="Acme")

    with pytest.raises(CommandError) as error:
        run("create_partner", name)

    assert str(error.value) == message
    assert Partner.objects.count() == 1
