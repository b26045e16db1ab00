import pytest
from django.core.management import call_command

from banking.models import MerchantTotal

pytestmark = pytest.mark.django_db


def test_totals_are_computed_anew(make_transaction, capsys):
    make_transaction()
    MerchantTotal.objects.all().delete()

    call_command("rebuild_totals")

    assert MerchantTotal.objects.get().count == 1
    assert "computed the totals" in capsys.readouterr().out
