import pytest
from django.core.management import CommandError, call_command

from banking.models import Posting, Transaction
from banking.queries.ledger import find_differences


@pytest.fixture
def account(make_account):
    return make_account()


@pytest.fixture
def post(account):
    def call(**options):
        options = {
            "account": str(account.external_id),
            "amount": "25.00",
            "key": "k1",
            "description": "Correction",
            **options,
        }
        words = [f"--{name.replace('_', '-')}={value}" for name, value in options.items()]
        call_command("post", *words)

    return call


def test_an_amount_is_posted_once_under_its_key(post, account, capsys):
    post()
    post()

    posting = Posting.objects.get()
    assert capsys.readouterr().out == f"posted {posting.pk}\nwas posted already as {posting.pk}\n"
    account.refresh_from_db()
    assert account.current_cents == 2_500


def test_the_account_goes_by_its_number_too(post, account):
    post(account=account.account_number, amount="3", type="CACHE_DEPOSIT", category="SALES")

    row = Transaction.objects.get()
    assert (row.transaction_type, row.category_id) == ("CACHE_DEPOSIT", "SALES")


def test_a_posting_is_undone(post, account):
    post()

    call_command("post", f"--reverse={Posting.objects.get().pk}", "--description=Wrong account")

    account.refresh_from_db()
    assert account.current_cents == 0
    assert not list(find_differences())


@pytest.mark.parametrize(
    ("options", "fault"),
    [
        ({"amount": "-1.00"}, "less available"),
        ({"amount": "1.005"}, "fractions of a cent"),
        ({"amount": "0"}, "no amount"),
        ({"amount": "ten"}, "no amount"),
        ({"category": "GOLD"}, "GOLD"),
        ({"account": "123456789012"}, "no account"),
        ({"account": "nobody"}, "no account"),
        ({"description": "x" * 256}, "255"),
        ({"key": ""}, "--key"),
        ({"key": "k" * 101}, "at most 100"),
        ({"description": ""}, "can be read"),
        ({"description": "a\u202eb"}, "can be read"),
        ({"description": "a\x1b[31m"}, "can be read"),
    ],
)
def test_what_cannot_be_posted_is_refused(post, options, fault):
    with pytest.raises(CommandError, match=fault):
        post(**options)

    assert not Posting.objects.exists()


def test_a_posting_is_undone_once(post, capsys):
    post()
    posting = Posting.objects.get()
    for _ in range(2):
        call_command("post", f"--reverse={posting.pk}", "--description=Wrong account")

    reversal = posting.reversed_by
    assert capsys.readouterr().out.endswith(
        f"reversed {reversal.pk}\nwas reversed already as {reversal.pk}\n"
    )


def test_a_key_is_not_taken_for_another_amount(post):
    post()

    with pytest.raises(CommandError, match="The key is that of"):
        post(amount="99.00")


@pytest.mark.parametrize("name", ["nothing", "0192f3a0-0000-7000-8000-000000000000"])
def test_a_posting_that_is_not_there_is_not_undone(db, name):
    with pytest.raises(CommandError, match="no posting"):
        call_command("post", f"--reverse={name}", "--description=Wrong")
