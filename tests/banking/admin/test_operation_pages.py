"""Bank operations in the back office: proposed on a page, confirmed in their list."""

import pytest
from django.contrib.auth.models import Group
from django.test import Client

from banking.choices import AccountStatus
from banking.models import Account, BankOperation, Card, Posting, Transaction, User
from banking.queries.ledger import find_differences
from tests.staff import sign_in, text_of

LIST = "/admin/banking/bankoperation/"
WHY = {"reason": "The letter of March 2."}


@pytest.fixture
def clerks(db) -> list[Client]:
    role = Group.objects.get(name="Operations")
    made = []
    for name in ("olga", "otto"):
        user = User.objects.create_user(f"{name}@example.com", user_type="STAFF")
        user.groups.add(role)
        made.append(sign_in(user))
    return made


def page_of(row, name="change"):
    return f"/admin/banking/{row._meta.model_name}/{row.pk}/{name}/"


def confirm(client):
    change = BankOperation.objects.get(status="OPEN")
    return text_of(client.post(f"{LIST}{change.pk}/confirm/", follow=True))


def test_an_account_is_frozen_and_unfrozen_by_two_clerks(clerks, make_account):
    olga, otto = clerks
    account = make_account()
    assert page_of(account, "freeze") in olga.get(page_of(account)).content.decode()

    proposed = olga.post(page_of(account, "freeze"), WHY, follow=True)

    assert "Someone else must confirm it." in text_of(proposed)
    assert "Operations that wait for a second person" in text_of(otto.get("/admin/"))
    assert "Waits for a second person" in text_of(otto.get(page_of(account)))
    assert "The letter of March 2." in text_of(otto.get(LIST))
    assert "in force" in confirm(otto)
    page = otto.get(page_of(account)).content.decode()
    assert "Frozen" in text_of(otto.get(page_of(account)))
    assert page_of(account, "unfreeze") in page
    assert page_of(account, "freeze") not in page
    otto.post(page_of(account, "unfreeze"), WHY)
    assert "in force" in confirm(olga)
    assert Account.objects.get(pk=account.pk).frozen_at is None


def test_nobody_confirms_their_own_operation(clerks, make_account):
    account = make_account()
    clerks[0].post(page_of(account, "freeze"), WHY)

    assert "Someone else must confirm it." in confirm(clerks[0])
    assert Account.objects.get(pk=account.pk).frozen_at is None


def test_a_transaction_is_reversed_once(clerks, make_transaction):
    row = make_transaction()
    said = {**WHY, "statement_text": "Booked twice"}
    clerks[0].post(page_of(row, "reverse"), said)
    again = clerks[0].post(page_of(row, "reverse"), said)
    assert again.status_code == 409
    assert "This is already proposed" in text_of(again)

    confirm(clerks[1])

    assert Posting.objects.get(reverses=row.posting).description == "Reversal: Booked twice"
    assert page_of(row, "reverse") not in clerks[0].get(page_of(row)).content.decode()
    assert clerks[0].post(page_of(row, "reverse"), said).status_code == 409
    assert not list(find_differences())


def test_a_hold_is_placed_and_released(clerks, make_transaction):
    account = make_transaction(amount_cents=5_000).account
    said = {**WHY, "amount": "12.50", "statement_text": "Court order"}
    clerks[0].post(page_of(account, "hold"), said)
    confirm(clerks[1])
    row = Transaction.objects.pending().get()
    assert (row.amount_cents, row.description) == (-1_250, "Court order")

    clerks[1].post(page_of(row, "release"), WHY)
    confirm(clerks[0])

    account.refresh_from_db()
    assert (account.current_cents, account.held_cents) == (5_000, 0)


@pytest.mark.parametrize(("direction", "cents"), [("ADD", 6_000), ("TAKE", 4_000)])
def test_an_account_is_adjusted(clerks, make_transaction, direction, cents):
    account = make_transaction(amount_cents=5_000).account
    said = {**WHY, "direction": direction, "amount": "10", "statement_text": "Correction"}

    clerks[0].post(page_of(account, "adjust"), said)
    confirm(clerks[1])

    account.refresh_from_db()
    assert account.current_cents == cents


@pytest.mark.parametrize("amount", ["0", "-1", "0.001", "1000000.01", "many", ""])
def test_an_amount_out_of_its_limits_is_refused(clerks, make_transaction, amount):
    account = make_transaction(amount_cents=5_000).account
    said = {**WHY, "direction": "ADD", "amount": amount, "statement_text": "Correction"}

    answer = clerks[0].post(page_of(account, "adjust"), said)

    assert answer.status_code == 422
    assert not BankOperation.objects.exists()


def test_an_account_is_closed_with_a_payout(clerks, make_transaction):
    account = make_transaction(amount_cents=5_000).account
    said = {**WHY, "destination": "OUTSIDE", "payee": "Check to Bakery LLC"}

    shown = text_of(clerks[0].post(page_of(account, "close"), said, follow=True))

    assert "Pay out $50.00 to: Check to Bakery LLC" in shown
    confirm(clerks[1])
    account.refresh_from_db()
    assert (account.status, account.current_cents) == (AccountStatus.CLOSED, 0)
    assert page_of(account, "close") not in clerks[0].get(page_of(account)).content.decode()


def test_the_balance_goes_to_a_linked_account_or_to_one_inside(
    clerks, make_transaction, make_account, make_linked_account
):
    account = make_transaction(amount_cents=5_000).account
    linked = make_linked_account(account.business)
    inside = make_account(account.business)
    stranger = make_account()
    form = text_of(clerks[0].get(page_of(account, "close")))
    assert inside.masked_number in form
    assert stranger.masked_number not in form

    wrong = clerks[0].post(page_of(account, "close"), {**WHY, "destination": stranger.pk})
    both = {**WHY, "destination": inside.pk, "closes_all": "on"}
    closed_too = clerks[0].post(page_of(account, "close"), both)
    clerks[0].post(page_of(account, "close"), {**WHY, "destination": f"LINKED-{linked.pk}"})

    assert wrong.status_code == 422
    assert "This account would be closed, too." in text_of(closed_too)
    assert linked.institution_name in " ".join(BankOperation.objects.get().summary)


def test_a_card_is_frozen(clerks, make_card):
    card = make_card()

    clerks[0].post(page_of(card, "freeze"), WHY)
    confirm(clerks[1])

    assert Card.objects.get().status == "FROZEN"
    assert page_of(card, "unfreeze") in clerks[0].get(page_of(card)).content.decode()


def test_a_proposal_is_rejected(clerks, make_account):
    account = make_account()
    clerks[0].post(page_of(account, "freeze"), WHY)

    clerks[1].post(f"{LIST}{BankOperation.objects.get().pk}/reject/")

    assert BankOperation.objects.get().status == "REFUSED"
    assert "Waits for a second person" not in text_of(clerks[1].get(page_of(account)))


def test_administrators_and_clerks_do_not_confirm_each_others_changes(clerks, make_account):
    account = make_account()
    clerks[0].post(page_of(account, "freeze"), WHY)
    change = BankOperation.objects.get()
    administrator = User.objects.create_user("ada@example.com", user_type="STAFF")
    administrator.groups.add(Group.objects.get(name="Administrator"))
    client = sign_in(administrator)

    assert client.post(f"{LIST}{change.pk}/confirm/").status_code == 403
    assert client.post(f"/admin/banking/staffchange/{change.pk}/confirm/").status_code == 404
    assert clerks[1].post(f"/admin/banking/staffchange/{change.pk}/confirm/").status_code == 403
    assert Account.objects.get(pk=account.pk).frozen_at is None


def test_who_may_not_propose_is_offered_nothing(make_staff, make_account):
    account = make_account()
    viewer = make_staff("view_account")

    assert "/freeze/" not in viewer.get(page_of(account)).content.decode()
    assert viewer.post(page_of(account, "freeze"), WHY).status_code == 403


def test_a_reason_is_needed(clerks, make_account):
    answer = clerks[0].post(page_of(make_account(), "freeze"), {"reason": " "})

    assert answer.status_code == 422
    assert not BankOperation.objects.exists()
