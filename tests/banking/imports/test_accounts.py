import pytest

from banking.imports.accounts import AccountNames, WrongAccount

OURS = AccountNames("200000000006", cards=frozenset({"4242"}))


@pytest.mark.parametrize(
    "named",
    [
        "200000000006",
        "2000 0000-0006",
        "000200000000006",
        "xxxxxxxx0006",
        "2000****0006",
        "••••06",
        "********",
        "",
    ],
)
def test_an_account_is_known_however_its_number_is_written(named):
    OURS.check(named)


@pytest.mark.parametrize(
    "named",
    ["200000000014", "00000006", "xxxxxxxx0014", "3000****0006", "GB29NWBK60161331926819", "4242"],
)
def test_another_account_is_refused(named):
    with pytest.raises(WrongAccount):
        OURS.check(named)


@pytest.mark.parametrize("named", ["xxxxxxxxxxxx4242", "4000 0000 0000 4242", "200000000006"])
def test_the_file_of_a_card_is_that_of_its_account(named):
    OURS.check(named, is_card=True)


@pytest.mark.parametrize("named", ["xxxxxxxxxxxx4241", "4000000000000002"])
def test_another_card_is_refused(named):
    with pytest.raises(WrongAccount):
        OURS.check(named, is_card=True)


@pytest.mark.parametrize(
    ("named", "shown"), [("200000000014", "••••0014"), ("xx0014", "••••0014"), ("1234", "••••")]
)
def test_numbers_are_masked_in_the_refusal(named, shown):
    with pytest.raises(WrongAccount) as refusal:
        OURS.check(named)

    assert str(refusal.value) == f"The file is of the account {shown}, not of ••••0006."
