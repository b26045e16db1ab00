"""The preview shows every mail, and leaves nothing behind."""

import pytest
from django.conf import settings
from django.core import mail
from django.core.management import call_command

from banking.models import Account
from onboarding.event_types import MailKind
from onboarding.models import Lead, Mail, Partner
from onboarding.services.partners.bank_partner import get_bank_partner

SUBJECTS = list((settings.BASE_DIR / "templates").glob("*/mail/*_subject.txt"))


@pytest.mark.django_db
def test_each_mail_is_on_the_page_in_both_languages(tmp_path, capsys):
    bank, accounts = get_bank_partner(), Account.objects.count()
    file = tmp_path / "below" / "mails.html"

    call_command("preview_mails", str(file))

    page = file.read_text()
    for kind in MailKind:
        assert f'<article id="{kind}-en"' in page
        assert f'<article id="{kind}-es"' in page
    assert "Hello Ada," in page
    assert "Hola, Ada:" in page
    templates = {one.name.removesuffix("_subject.txt") for one in SUBJECTS}
    for template in templates:
        assert f'<article id="{template}"' in page
    assert "An assistant is reading much more data than usual / Un asistente" in page
    assert f"{2 * len(MailKind) + len(templates)} mails are in {file}" in capsys.readouterr().out
    assert list(Partner.objects.all()) == [bank]
    assert not Lead.objects.exists()
    assert not Mail.objects.exists()
    assert Account.objects.count() == accounts
    assert mail.outbox == []
