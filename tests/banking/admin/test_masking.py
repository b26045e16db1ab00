import re

from banking.models import Account

PAYEES = ["000123456789", "GB82WEST12345698765432"]


def test_no_page_shows_the_number_of_an_account(fill, every_page):
    fill(2)
    accounts = list(Account.objects.all())

    pages = dict(every_page())

    shown = "".join(pages.values())
    assert f"/admin/banking/account/{accounts[0].pk}/entries/" in pages
    for number in PAYEES:
        assert number not in shown
        assert f"••••{number[-4:]}" in shown
    for account in accounts:
        assert account.account_number not in shown
        assert account.masked_number in shown


def test_every_page_keeps_the_content_security_policy(fill, every_page):
    fill(1)

    for path, page in every_page():
        assert not re.search(r"<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)", page), path
        assert not re.search(r'(?:src|href)="(?:https?:)?//', page), path
