import csv
import io

from banking.books.csv_files import write_quickbooks_csv, write_xero_csv
from tests.banking.books.test_ofx_files import ID, line, month


def rows_of(chunks):
    return list(csv.reader(io.StringIO(b"".join(chunks).decode(), newline="")))


def test_quickbooks_takes_three_columns():
    rows = rows_of(write_quickbooks_csv(month(line(2), line(3, 123_456, name=""))))

    assert rows == [
        ["Date", "Description", "Amount"],
        ["03/02/2026", "Corner Bakery: Lunch", "-12.50"],
        ["03/03/2026", "Lunch", "1234.56"],
    ]


def test_xero_takes_the_columns_of_its_template():
    rows = rows_of(write_xero_csv(month(line(2), line(3, name=""))))

    assert rows == [
        ["Date", "Amount", "Payee", "Description", "Reference"],
        ["03/02/2026", "-12.50", "Corner Bakery", "Lunch", f"{ID}2"],
        ["03/03/2026", "-12.50", "Lunch", "", f"{ID}3"],
    ]


def test_no_text_is_a_formula():
    nasty = line(name="=HYPERLINK(1)", text="@SUM(1)")

    assert rows_of(write_quickbooks_csv(month(nasty)))[1][1] == "'=HYPERLINK(1): @SUM(1)"
    assert rows_of(write_xero_csv(month(nasty)))[1][2:4] == ["'=HYPERLINK(1)", "'@SUM(1)"]
