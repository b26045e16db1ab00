"""What partners may send."""

import time
from datetime import date
from decimal import Decimal
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stdnum.us import ein as stdnum_ein

from onboarding import validators
from onboarding.errors import ErrorCode, Fault, InvalidValue
from onboarding.lead_fields import BUSINESS, PERSON

TODAY = date(2026, 3, 2)
ARABIC_INDIC = str.maketrans("0123456789", "٠١٢٣٤٥٦٧٨٩")
FULL_WIDTH = {ord(digit): ord(digit) + 0xFEE0 for digit in "0123456789"}
BIDI = "\u202e"
ZERO_WIDTH = "\u200b"

GOOD = {
    validators.email: [
        ("ada@example.com", "ada@example.com"),
        ("Ada.Lovelace+Bank@Example.COM", "ada.lovelace+bank@example.com"),
        (" ada@example.com\n", "ada@example.com"),
        ("o'hara@sub.example.co.uk", "o'hara@sub.example.co.uk"),
        ("ada@xn--bcher-kva.example", "ada@xn--bcher-kva.example"),
        ("a" * 64 + "@" + ".".join(["b" * 60] * 3) + ".com", None),
    ],
    validators.phone_number: [
        ("+14155550100", "+14155550100"),
        ("+442079460000", "+442079460000"),
        ("+390612345678", "+390612345678"),
        ("+8613800138000", "+8613800138000"),
        ("+18005550199", "+18005550199"),
        ("+4402079460000", "+442079460000"),
    ],
    validators.ssn: [
        ("123-45-6789", "123456789"),
        ("123456789", "123456789"),
        ("078-05-1120", "078051120"),
        ("900-70-0001", "900700001"),
        ("999-99-9999", "999999999"),
        ("001-01-0001", "001010001"),
    ],
    validators.ein: [
        ("12-3456789", "123456789"),
        ("123456789", "123456789"),
        ("01-0000000", "010000000"),
        ("33-1234567", "331234567"),
    ],
    validators.iso_date: [
        ("2026-03-02", date(2026, 3, 2)),
        ("2024-02-29", date(2024, 2, 29)),
        ("0001-01-01", date(1, 1, 1)),
        ("9999-12-31", date(9999, 12, 31)),
    ],
    validators.state: [("CA", "CA"), ("ca", "CA"), ("dC", "DC"), ("pr", "PR"), ("AE", "AE")],
    validators.country: [("US", "US"), ("us", "US"), ("Gb", "GB"), ("pr", "PR")],
    validators.naics_code: [("11", "11"), ("541511", "541511"), ("5415", "5415")],
    validators.duns: [("123456789", "123456789"), ("12-345-6789", "123456789")],
    validators.https_url: [
        ("https://example.com", "https://example.com"),
        ("HTTPS://Example.COM/Path?Q=A", "https://example.com/Path?Q=A"),
        ("https://example.com:8443/a%20b#c", "https://example.com:8443/a%20b#c"),
        ("https://my_bucket.s3.amazonaws.com/k?X=a/b+c%3D", None),
        ("https://localhost/x", "https://localhost/x"),
        ("https://192.0.2.1/x", "https://192.0.2.1/x"),
        ("https://[2001:DB8::1]:8443/x", "https://[2001:db8::1]:8443/x"),
        ("https://example.com?q=user@example.com", "https://example.com?q=user@example.com"),
        ("https://example.com./x", "https://example.com./x"),
        ("https://example.com/" + "a" * 2028, None),
    ],
    validators.file_name: [
        ("articles.pdf", "articles.pdf"),
        ("Gesellschaftsvertrag Müller & Söhne (final).pdf", None),
        ("定款.pdf", "定款.pdf"),
        ("Screenshot 9.41\u202fAM.png", "Screenshot 9.41\u202fAM.png"),
        ("noextension", "noextension"),
        (".hidden", ".hidden"),
        ("...", "..."),
        ("a" * 255, "a" * 255),
    ],
    validators.content_type: [
        ("application/pdf", "application/pdf"),
        ("Image/PNG", "image/png"),
        ("text/plain; charset=UTF-8", "text/plain; charset=UTF-8"),
        ('text/plain;charset="utf-8 \\" x"', 'text/plain;charset="utf-8 \\" x"'),
        ("image/svg+xml", "image/svg+xml"),
        ("application/vnd.openxmlformats-officedocument.wordprocessingml.document", None),
        ("text/plain;", "text/plain;"),
        ("text/plain ; a=b ;\tc=d", "text/plain ; a=b ;\tc=d"),
    ],
}
BAD = {
    validators.email: (
        ErrorCode.INVALID_EMAIL,
        [
            *("ada", "@example.com", "ada@", "ada@example", "ada@@example.com", "a b@example.com"),
            *("ada@localhost", "ada@exa mple.com", "ada@example..com", ".ada@example.com"),
            *("ada@-example.com", "ada\n@example.com", "ada@example.com,eve@example.com"),
            *("\u212aate@example.com", "ada@\u212aate.com", "ädä@example.com"),
            *(f"ada{ZERO_WIDTH}@example.com", f"ada@exam{ZERO_WIDTH}ple.com", "ada@bücher.example"),
            *('"a\x01b"@example.com', '"a b"@example.com', "ada\x00@example.com", "ada@\ud800.com"),
            "Ada <ada@example.com>",
        ],
    ),
    validators.phone_number: (
        ErrorCode.INVALID_PHONE_NUMBER,
        [
            *("4155550100", "+1 415 555 0100", "+1-415-555-0100", "+1415555010", "+141555501000"),
            *("+", "+0", "+04155550100", "+5550100", "+15550100", "tel:+14155550100"),
            *(
                "+1234567890123456",
                "+999123456789",
                "+14155550100;ext=5",
                "+1415555010O",
                "+490000000",
            ),
            "+" + "14155550100".translate(ARABIC_INDIC),
            "\uff0b14155550100",
        ],
    ),
    validators.ssn: (
        ErrorCode.INVALID_SSN,
        [
            *("000-12-3456", "666-12-3456", "123-00-4567", "123-45-0000", "000123456"),
            *("12-345-6789", "123-456789", "12345-6789", "123 45 6789", "1234567890", "12345678"),
            *("123-45-678X", "123-45-6789\n", "-123456789", "123\u201345\u20136789"),
            "123-45-6789".translate(ARABIC_INDIC),
            "123456789".translate(FULL_WIDTH),
        ],
    ),
    validators.ein: (
        ErrorCode.INVALID_EIN,
        [
            *("00-1234567", "07-1234567", "89-1234567", "97-1234567", "1-23456789", "123-456789"),
            *("12345678", "1234567890", "12 3456789", "12-345678X", "12-3456789\n"),
            "12-3456789".translate(ARABIC_INDIC),
        ],
    ),
    validators.iso_date: (
        ErrorCode.INVALID_DATE,
        [
            *("2026-02-29", "2026-13-01", "2026-00-10", "2026-01-00", "0000-01-01", "2026-1-1"),
            *("20260301", "2026-W10-1", "2026-060", "2026-03-01T00:00:00Z", "03/01/2026", "soon"),
            *("2026-03-01\n", "-2026-03-01", "+2026-03-01", "12026-03-01"),
            "2026-03-01".translate(ARABIC_INDIC),
        ],
    ),
    validators.state: (
        ErrorCode.INVALID_STATE,
        ["XX", "California", "C", "CAL", "12", "C A", "\ufb02", "UM", "\u0131l", "\uff23\uff21"],
    ),
    validators.country: (
        ErrorCode.INVALID_COUNTRY,
        ["XX", "USA", "U", "UK", "EU", "840", "\ufb01", "United States", "\uff35\uff33"],
    ),
    validators.naics_code: (
        ErrorCode.INVALID_NAICS_CODE,
        ["1", "1234567", "54-55", "5415a", " 541511", "541511".translate(ARABIC_INDIC)],
    ),
    validators.duns: (
        ErrorCode.INVALID_DUNS,
        [
            *("12345678", "1234567890", "123-45-6789", "12-3456789", "12-345-678A", "12 345 6789"),
            "123456789".translate(ARABIC_INDIC),
        ],
    ),
    validators.https_url: (
        ErrorCode.INVALID_URL,
        [
            *("http://example.com", "ftp://example.com", "example.com", "//example.com", "https:"),
            *("https://", "https:///path", "https://?q", "https://#f", "https:example.com"),
            *("https://user:pass@example.com", "https://user@example.com", "https://@example.com"),
            *("https://example.com/a b", "https://example.com/\ta", "https://example.com/a\n"),
            *(
                "https://a.example\\@b.example",
                "https://exam\\ple.com",
                "https://exa mple.com",
            ),
            *("https://example.com:0", "https://example.com:65536", "https://example.com:http"),
            *("https://example.com:", "https://[::1", "https://[1:2]/", "https://[::1%25eth0]/"),
            *("https://-example.com", "https://example-.com", "https://exa..mple.com", "https://."),
            *("https://" + "a" * 64 + ".com", "https://" + ".".join(["a" * 60] * 5)),
            *("https://bücher.example", "https://example.com/ü", "https://ex\u212aample.com"),
            *(f"https://example.com/{ZERO_WIDTH}", f"https://example.com/{BIDI}", "javascript:1"),
            *("https://example.com/\x00", "https://example.com/\x7f", "https://example.com/\ud800"),
        ],
    ),
    validators.file_name: (
        ErrorCode.INVALID_FILE_NAME,
        [
            *(".", "..", "a/b.pdf", "../a.pdf", "..\\a.pdf", "C:\\a.pdf", "/a.pdf"),
            *("a\x00.pdf", "a\n.pdf", "a\x7f.pdf", "a\x85.pdf", "a\u2028b.pdf"),
            *(f"a{BIDI}fdp.exe", f"a{ZERO_WIDTH}.pdf", "a\u2066.pdf", "\ufeffa.pdf", "a\xad.pdf"),
            *("a\ud800.pdf", "a\U000e0041.pdf"),
        ],
    ),
    validators.content_type: (
        ErrorCode.INVALID_CONTENT_TYPE,
        [
            *("pdf", "application/", "/pdf", "application/pdf/x", "application pdf", "*/*"),
            *("image/*", "application/p df", "application/pdf; charset", "text/plain; =b"),
            *("text/plain; a=", 'text/plain; a="b', "text/plain, text/html", "text/plain\n"),
            *("text/plän", "text/plain; a=ü", "text/\x00", 'text/plain; a="\x00"', "-a/b"),
        ],
    ),
}


def pairs(table):
    return [(check, *pair) for check, rows in table.items() for pair in rows]


def refusals(table):
    return [(check, text, code) for check, (code, texts) in table.items() for text in texts]


def test_each_check_of_a_lead_field_has_right_and_wrong_values():
    checks = {one.check for one in (*PERSON, *BUSINESS) if one.check in vars(validators).values()}

    bare = sorted(check.__name__ for check in checks if check not in GOOD or check not in BAD)

    assert not bare, f"Add rows of {bare} to GOOD and BAD in tests/onboarding/test_validators.py."


@pytest.mark.parametrize(("check", "text", "normal"), pairs(GOOD))
def test_what_is_right_comes_back_in_its_normal_form(check, text, normal):
    assert check(text) == (text if normal is None else normal)


@pytest.mark.parametrize(("check", "text", "code"), refusals(BAD))
def test_what_is_wrong_is_refused_without_a_trace_of_it(check, text, code):
    with pytest.raises(InvalidValue) as refusal:
        check(text)

    assert refusal.value.code is code
    assert str(refusal.value) == code.name
    assert refusal.value.__cause__ is None
    assert refusal.value.__context__ is None or refusal.value.__suppress_context__


@pytest.mark.parametrize(
    ("check", "text", "limit"),
    [
        (validators.email, "a" * 250 + "@b.co", 254),
        (validators.https_url, "https://example.com/" + "a" * 2029, 2048),
        (validators.file_name, "a" * 256, 255),
        (validators.content_type, "a/" + "b" * 126, 127),
    ],
)
def test_what_is_too_long_is_refused_with_its_limit(check, text, limit):
    with pytest.raises(InvalidValue) as refusal:
        check(text)

    assert (refusal.value.code, refusal.value.params) == (
        ErrorCode.VALUE_TOO_LONG,
        {"limit": limit},
    )


def test_the_ein_prefixes_are_those_of_the_irs():
    def is_accepted(text):
        try:
            return bool(validators.ein(text))
        except InvalidValue:
            return False

    prefixes = {f"{number:02}" for number in range(100)}
    accepted = {prefix for prefix in prefixes if is_accepted(f"{prefix}1234567")}
    assert accepted == {prefix for prefix in prefixes if stdnum_ein.is_valid(f"{prefix}1234567")}
    assert len(accepted) == 83


# Birth dates


@pytest.mark.parametrize(
    ("text", "today"),
    [
        ("2008-03-02", date(2026, 3, 2)),
        ("2008-02-29", date(2026, 3, 1)),
        ("2004-02-29", date(2024, 2, 29)),
        ("1905-03-03", date(2026, 3, 2)),
        ("1904-02-29", date(2025, 2, 28)),
    ],
)
def test_a_birth_date_makes_the_person_18_to_120_years_old(text, today):
    assert validators.birth_date(text, today=today) == date.fromisoformat(text)


@pytest.mark.parametrize(
    ("text", "today", "code"),
    [
        ("2008-03-03", date(2026, 3, 2), ErrorCode.UNDERAGE_PERSON),
        ("2008-02-29", date(2026, 2, 28), ErrorCode.UNDERAGE_PERSON),
        ("2026-03-02", date(2026, 3, 2), ErrorCode.UNDERAGE_PERSON),
        ("2026-03-03", date(2026, 3, 2), ErrorCode.INVALID_DATE),
        ("9999-12-31", date(2026, 3, 2), ErrorCode.INVALID_DATE),
        ("1905-03-02", date(2026, 3, 2), ErrorCode.INVALID_DATE),
        ("1904-02-29", date(2025, 3, 1), ErrorCode.INVALID_DATE),
        ("0001-01-01", date(2026, 3, 2), ErrorCode.INVALID_DATE),
        ("2000-02-30", date(2026, 3, 2), ErrorCode.INVALID_DATE),
    ],
)
def test_other_birth_dates_are_refused(text, today, code):
    with pytest.raises(InvalidValue) as refusal:
        validators.birth_date(text, today=today)

    assert refusal.value.code is code


# Postal codes


@pytest.mark.parametrize(
    ("text", "country"),
    [
        *(("94105", "US"), ("94105-1234", "US"), ("94105", ""), ("00901", "PR"), ("96799", "AS")),
        *(("SW1A 1AA", "GB"), ("K1A 0B1", "CA"), ("1010", "AT"), ("A" * 16, "GB")),
    ],
)  # fmt: skip
def test_a_postal_code_has_the_shape_of_its_country(text, country):
    assert validators.postal_code(text, country=country) == text


@pytest.mark.parametrize(
    ("text", "country"),
    [
        *(("9410", "US"), ("941051234", "US"), ("94105-", "US"), ("94105-12345", "")),
        *(("SW1A 1AA", "US"), ("SW1A 1AA", ""), ("SW1A 1AA", "PR"), ("94105\n", "US")),
        *(("A" * 17, "GB"), ("SW1A\t1AA", "GB"), ("SW1A\x001AA", "GB"), (f"1010{BIDI}", "AT")),
        ("94105".translate(ARABIC_INDIC), "US"),
        ("12345".translate(ARABIC_INDIC), "IR"),
    ],
)
def test_other_postal_codes_are_refused(text, country):
    with pytest.raises(InvalidValue) as refusal:
        validators.postal_code(text, country=country)

    assert refusal.value.code is ErrorCode.INVALID_POSTAL_CODE


def test_a_past_date_is_of_today_or_earlier():
    today = date(2026, 3, 2)

    assert validators.past_date("2026-03-02", today=today) == today
    with pytest.raises(InvalidValue) as refusal:
        validators.past_date("2026-03-03", today=today)
    assert refusal.value.code is ErrorCode.INVALID_DATE


# Whatever comes

CHECKS = [
    *GOOD,
    partial(validators.postal_code, country="US"),
    partial(validators.postal_code, country="GB"),
    partial(validators.birth_date, today=TODAY),
    partial(validators.past_date, today=TODAY),
]
ANY_TEXT = st.text(st.characters(), min_size=1)
NEAR_TEXT = st.one_of(
    ANY_TEXT,
    st.text("0123456789-+٣", min_size=1, max_size=18),
    st.emails(),
    st.from_regex(r"\A\+[1-9][0-9]{6,14}\Z"),
    st.from_regex(r"\A(?i:https)://[A-Za-z0-9.:@\[\]-]+(?:[/?#][!-~]*)?\Z"),
    st.from_regex(r"\A[A-Za-z*]+/[a-z+.]+(?:[ \t]*;[ \t]*[a-z]*=?[a-z\"\\]*)*\Z"),
    st.dates().map(str),
    st.text(st.characters(categories=["L"]), min_size=2, max_size=2),
)


@pytest.mark.parametrize("check", CHECKS)
@given(text=NEAR_TEXT)
def test_a_check_raises_invalid_value_or_returns_what_passes_again_unchanged(check, text):
    try:
        normal = check(text)
    except InvalidValue:
        return

    assert check(str(normal)) == normal


@given(
    calling_code=st.sampled_from(["1", "7", "39", "44", "49", "52", "54", "55", "61", "86", "225"]),
    rest=st.text("0123456789", min_size=6, max_size=13),
)
def test_a_phone_number_passes_again_unchanged(calling_code, rest):
    try:
        normal = validators.phone_number(f"+{calling_code}{rest}")
    except InvalidValue:
        return

    assert validators.phone_number(normal) == normal
    assert len(normal) <= 16


@pytest.mark.parametrize(
    ("check", "text"),
    [
        (validators.content_type, "a/b" + "; " * 61 + "\x00"),
        (validators.content_type, "a/b;" + " " * 122 + "\x00"),
        (validators.https_url, "https://" + "a." * 1000 + "\x00"),
        (validators.https_url, "https://" + "a-" * 1000),
        (validators.email, "a" + ".a" * 120 + "@" + "b" * 10),
        (validators.email, "a@" + "b-" * 120 + ".c"),
    ],
)
def test_no_text_makes_a_check_backtrack(check, text):
    started = time.thread_time()

    with pytest.raises(InvalidValue):
        check(text)

    assert time.thread_time() - started < 0.1


# Ownership


def owner(email="", percent=None):
    share = None if percent is None else Decimal(percent)
    return {"email": email, "ownership_percent": share}


OVER = Fault(ErrorCode.OWNERSHIP_TOTAL_EXCEEDED, ("uboList",))


@pytest.mark.parametrize(
    ("percent", "owners"),
    [
        (None, []),
        ("100", []),
        ("40", [owner("b@x.co", "30"), owner("c@x.co", "30")]),
        ("33.3334", [owner("b@x.co", "33.3333"), owner("c@x.co", "33.3333")]),
        (None, [owner("b@x.co", None), owner("", "50"), owner(None, "50")]),
        ("60", [owner("a@x.co", "60"), owner("b@x.co", "40")]),
        ("60", [owner(" A@X.CO ", "50"), owner("b@x.co", "40")]),
        ("50", [owner("a@x.co", "60"), owner("b@x.co", "40")]),
        (None, [owner("a@x.co", "60"), owner("b@x.co", "40")]),
        ("60", [{"email": "a@x.co"}, {}]),
    ],
)
def test_shares_of_at_most_100_percent_are_right(percent, owners):
    share = None if percent is None else Decimal(percent)

    assert validators.ownership_faults("a@x.co", share, owners) == []


@pytest.mark.parametrize(
    ("percent", "owners"),
    [
        ("100", [owner("b@x.co", "0.0001")]),
        ("40", [owner("b@x.co", "30"), owner("c@x.co", "30.0001")]),
        ("40", [owner("", "31"), owner(None, "30")]),
        ("60", [owner("a@x.co", "50"), owner("b@x.co", "41")]),
        ("50", [owner("a@x.co", "60"), owner("b@x.co", "41")]),
    ],
)
def test_more_than_100_percent_in_sum_is_a_fault(percent, owners):
    assert validators.ownership_faults("a@x.co", Decimal(percent), owners) == [OVER]


def test_the_applicant_among_the_owners_counts_once():
    owners = [owner("A@x.co", Decimal(40)), owner("b@x.co", Decimal("12.5")), owner("c@x.co", None)]

    assert validators.ownership_total("a@x.co", Decimal(30), owners) == Decimal("52.5")


def test_each_repeated_owner_email_is_a_fault():
    owners = [
        owner("b@x.co"),
        owner("c@x.co"),
        owner("B@x.co"),
        owner(""),
        owner(""),
        owner("b@x.co"),
    ]

    assert validators.ownership_faults("a@x.co", None, owners) == [
        Fault(ErrorCode.DUPLICATE_UBO_EMAIL, ("uboList", 2, "email")),
        Fault(ErrorCode.DUPLICATE_UBO_EMAIL, ("uboList", 5, "email")),
    ]


def test_a_repeated_owner_counts_once_in_the_sum():
    owners = [owner("b@x.co", "60"), owner("b@x.co", "60")]

    assert [fault.code for fault in validators.ownership_faults("a@x.co", None, owners)] == [
        ErrorCode.DUPLICATE_UBO_EMAIL
    ]


def test_too_many_owners_are_one_fault(settings):
    settings.OWNERS_MAX_PER_LEAD = 2
    owners = [owner("b@x.co", "100")] * 3

    [fault] = validators.ownership_faults("a@x.co", None, owners)

    assert (fault.code, fault.pointer) == (ErrorCode.VALUE_OUT_OF_RANGE, "/uboList")
    assert fault.text("en") == "This must be a list of at most 2 owners."
    assert fault.text("es") == "Esto debe ser una lista de 2 propietarios como máximo."


# Addresses


@pytest.mark.parametrize(
    "address",
    [
        {},
        {"state": None, "postal_code": None, "country": None},
        {"state": "ca", "postal_code": "94105"},
        {"state": "CA", "postal_code": "94105-1234", "country": "US"},
        {"state": "Bayern", "postal_code": "80331", "country": "DE"},
        {"state": "", "postal_code": "SW1A 1AA", "country": "GB"},
        {"state": "San Juan", "postal_code": "00901", "country": "PR"},
    ],
)
def test_an_address_fits_its_country(address):
    assert validators.address_faults(address, path=()) == []


@pytest.mark.parametrize("country", [None, "", "US", "us"])
def test_a_foreign_state_and_postal_code_are_faults_in_the_us(country):
    address = {"state": "Bayern", "postal_code": "8033", "country": country}

    assert validators.address_faults(address, path=("uboList", 0, "address")) == [
        Fault(ErrorCode.INVALID_STATE, ("uboList", 0, "address", "state")),
        Fault(ErrorCode.INVALID_POSTAL_CODE, ("uboList", 0, "address", "postalCode")),
    ]


def test_a_postal_code_of_another_country_has_its_limits():
    address = {"postal_code": "8" * 17, "country": "DE"}

    [fault] = validators.address_faults(address, path=())

    assert fault == Fault(ErrorCode.INVALID_POSTAL_CODE, ("postalCode",))


# Metadata


@pytest.mark.parametrize(
    "metadata",
    [
        {},
        {f"key{number}": "value" for number in range(50)},
        {"k" * 40: "v" * 500},
        {"clé": "línea\nlínea", "gone": None, "blank": ""},
    ],
)
def test_metadata_within_the_limits_is_right(metadata):
    assert validators.metadata_faults(metadata) == []


@pytest.mark.parametrize(
    ("metadata", "code", "pointer"),
    [
        ({f"key{n}": "" for n in range(51)}, ErrorCode.METADATA_LIMIT_EXCEEDED, "/metadata"),
        ({"": "v"}, ErrorCode.METADATA_LIMIT_EXCEEDED, "/metadata"),
        ({"k" * 41: "v"}, ErrorCode.METADATA_LIMIT_EXCEEDED, "/metadata"),
        ({"k": "v" * 501}, ErrorCode.METADATA_LIMIT_EXCEEDED, "/metadata/k"),
        ({"a/b": "v" * 501}, ErrorCode.METADATA_LIMIT_EXCEEDED, "/metadata/a~1b"),
        ({"k\0": "v"}, ErrorCode.INVALID_FORMAT, "/metadata"),
        ({"k\ud800": "v"}, ErrorCode.INVALID_FORMAT, "/metadata"),
        ({f"k{BIDI}": "v"}, ErrorCode.INVALID_FORMAT, "/metadata"),
        ({"k": 5}, ErrorCode.INVALID_TYPE, "/metadata/k"),
        ({"k": ["v"]}, ErrorCode.INVALID_TYPE, "/metadata/k"),
        ({"k\x01": 5}, ErrorCode.INVALID_FORMAT, "/metadata"),
        ({"k\ufffe": 5}, ErrorCode.INVALID_FORMAT, "/metadata"),
        ({"k": "v\0"}, ErrorCode.INVALID_FORMAT, "/metadata/k"),
        ({"k": "v\udfff"}, ErrorCode.INVALID_FORMAT, "/metadata/k"),
    ],
)
def test_metadata_beyond_the_limits_is_a_fault(metadata, code, pointer):
    [fault] = validators.metadata_faults(metadata)

    assert (fault.code, fault.pointer) == (code, pointer)


def test_the_faults_of_metadata_can_be_relative_to_it():
    faults = validators.metadata_faults({"a": "v" * 501, "b": "v" * 501}, path=())

    assert [fault.pointer for fault in faults] == ["/a", "/b"]


@pytest.mark.parametrize(("text", "normal"), [("ny", "NY"), ("Bayern", "Bayern"), ("ñü", "ñü")])
def test_a_two_letter_region_is_upper_case_and_a_name_as_it_is(text, normal):
    assert validators.region(text) == normal
