import re

import pytest

from banking.imports.csv_mapping import Columns, InvalidMapping, Mapping, load_mapping

LEAST = '[columns]\ndate = "Date"\namount = "Amount"\n'


def test_the_least_a_mapping_says_is_date_and_amount(make_file):
    mapping = load_mapping(make_file(LEAST))

    assert mapping == Mapping(columns=Columns(date="Date", amount="Amount"))


def test_every_setting_of_a_mapping_is_read(files):
    mapping = load_mapping(files / "larkspur.toml")

    assert mapping.encoding == "cp1252"
    assert mapping.date_formats == ("%m/%d/%Y", "%m/%d/%Y %I:%M %p")
    assert mapping.thousands == ","
    assert mapping.pending == ("Pending",)
    assert mapping.types["Cash in"] == "CACHE_DEPOSIT"
    assert mapping.columns.original_amount == "Foreign amount"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "columns.date is missing"),
        ("columns = 3", "columns must be a table"),
        ('[columns]\namount = "A"', "columns.date is missing"),
        ('[columns]\ndate = "D"', "either amount, or debit and credit"),
        ('[columns]\ndate = "D"\ndebit = "S"', "either amount, or debit and credit"),
        ('[columns]\ndate = "D"\namount = "A"\ncredit = "C"', "either amount, or debit and credit"),
        ('[columns]\ndate = 7\namount = "A"', "columns.date must be a text"),
        ('[columns]\ndates = "D"', "columns.dates is unknown"),
        ('seperator = ";"\n' + LEAST, "seperator is unknown"),
        ("date_formats = [1]\n" + LEAST, "date_formats must be a list of texts"),
        ('date_formats = "%Y"\n' + LEAST, "date_formats must be a list of texts"),
        ("date_formats = []\n" + LEAST, "date_formats"),
        ("skip_lines = true\n" + LEAST, "skip_lines must be a number"),
        ("skip_lines = -1\n" + LEAST, "skip_lines"),
        ("debit_is_negative = 1\n" + LEAST, "debit_is_negative must be true or false"),
        (LEAST + "[types]\nCard = 5", "types must be a table of texts"),
        (LEAST + '[types]\nCard = "CARD"', "'CARD' is no transaction type"),
        ('default_out = "purchase"\n' + LEAST, "'purchase' is no transaction type"),
        ('delimiter = ";;"\n' + LEAST, "delimiter must be one character"),
        ('decimal = "-"\n' + LEAST, "decimal must be"),
        ('decimal = ","\nthousands = ","\n' + LEAST, "thousands must be another"),
        ('thousands = "0"\n' + LEAST, "thousands must be another"),
        ('positive_is = "up"\n' + LEAST, "positive_is must be"),
        ('encoding = "utf-9"\n' + LEAST, "encoding 'utf-9' is unknown"),
        ('encoding = "hex"\n' + LEAST, "encoding 'hex' is unknown"),
        ('timezone = "Mars/Olympus"\n' + LEAST, "timezone 'Mars/Olympus' is unknown"),
        ('timezone = "../etc/passwd"\n' + LEAST, "timezone '../etc/passwd' is unknown"),
        ("columns = ", "it is not TOML"),
    ],
)
def test_a_mapping_that_is_wrong_says_where(make_file, text, reason):
    with pytest.raises(InvalidMapping, match=re.escape(reason)):
        load_mapping(make_file(text))


def test_a_mapping_in_another_encoding_is_refused(make_file):
    with pytest.raises(InvalidMapping, match="it is not TOML"):
        load_mapping(make_file(LEAST.encode() + b"# caf\xe9"))
