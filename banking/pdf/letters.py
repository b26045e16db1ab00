"""The bank account letter: that an account exists, and how money reaches it."""

from dataclasses import dataclass
from datetime import date, datetime
from io import BytesIO

from banking.choices import LetterVariant
from banking.pdf.blocks import Fact, draw_details, draw_paragraph, draw_title
from banking.pdf.pages import LEFT, SHADE, TEAL, WIDTH, Letterhead, PdfDocument, cut, day_text
from banking.pdf.typefaces import BOLD

TITLES = {
    LetterVariant.GENERAL: "Account verification letter",
    LetterVariant.ACH: "ACH transfer instructions",
    LetterVariant.WIRE_DOMESTIC: "Domestic wire instructions",
    LetterVariant.WIRE_INTERNATIONAL: "International wire instructions",
}
PURPOSES = {
    LetterVariant.GENERAL: "It is given at the account holder's request, as proof of the account.",
    LetterVariant.ACH: "Please use the details below for ACH credits to the account, such as "
    "payroll and customer payments, and for ACH debits that the account holder has authorized.",
    LetterVariant.WIRE_DOMESTIC: "Please use the details below for wires to the account from banks "
    "in the United States.",
    LetterVariant.WIRE_INTERNATIONAL: "Please use the details below for wires in US dollars to the "
    "account from banks outside of the United States.",
}
VERIFICATION = (
    "This letter confirms that {holder} is the holder of the account named below at {bank}. The "
    "account was opened on {opened}, and on {issued} it is {status}. {purpose}"
)
ENQUIRIES = (
    "Questions about this letter are answered at {phone}; please name the reference {reference}. "
    "The letter states facts known on its date. It is no guarantee of funds or of credit."
)
SIGNED = (
    "A PDF reader shows who signed this letter, and whether it was changed since. A printed copy "
    "carries no signature."
)


@dataclass(frozen=True)
class Intermediary:
    """The bank through which wires from abroad arrive."""

    name: str
    swift: str
    address_lines: tuple[str, ...]


@dataclass(frozen=True)
class AccountLetter:
    """The facts that a letter confirms, with the full account number."""

    head: Letterhead
    variant: LetterVariant
    account_holder: str
    address_lines: tuple[str, ...]
    account_name: str
    account_number: str
    status: str
    opened_date: date
    reference: str
    intermediary: Intermediary | None  # on letters for international wires
    issued_at: datetime


def render_letter(letter: AccountLetter) -> bytes:
    """Return the letter as a PDF without a signature; the caller signs it."""
    target = BytesIO()
    title = TITLES[letter.variant]
    document = PdfDocument(
        target, title=title, subject=letter.reference, head=letter.head, made_at=letter.issued_at
    )
    draw_title(document, title, f"{day_text(letter.issued_at)} · {letter.reference}")
    draw_paragraph(document, "To whom it may concern,", size=10)
    draw_paragraph(document, _verification(letter), size=10)
    document.y -= 12
    draw_details(document, *_account(letter))
    draw_details(document, *_bank(letter))
    if letter.variant is LetterVariant.WIRE_INTERNATIONAL and letter.intermediary:
        draw_details(document, *_intermediary(letter.intermediary))
    enquiries = ENQUIRIES.format(phone=letter.head.phone, reference=letter.reference)
    draw_paragraph(document, enquiries, size=8.5, muted=True)
    _draw_signature(document, letter.head.name)
    document.finish()
    return target.getvalue()


def _verification(letter: AccountLetter) -> str:
    return VERIFICATION.format(
        holder=letter.account_holder,
        bank=letter.head.name,
        opened=day_text(letter.opened_date),
        issued=day_text(letter.issued_at),
        status=letter.status.lower(),
        purpose=PURPOSES[letter.variant],
    )


def _account(letter: AccountLetter) -> tuple[str, list[Fact]]:
    is_wire = letter.variant in {LetterVariant.WIRE_DOMESTIC, LetterVariant.WIRE_INTERNATIONAL}
    holder = Fact("Beneficiary" if is_wire else "Account holder", letter.account_holder)
    return "Beneficiary" if is_wire else "Account", [
        holder,
        Fact("Address", ", ".join(letter.address_lines)),
        Fact("Account type", letter.account_name),
        Fact("Account number", letter.account_number),
        *([] if is_wire else [Fact("Status", letter.status)]),
        *([] if is_wire else [Fact("Opened", day_text(letter.opened_date))]),
    ]


def _bank(letter: AccountLetter) -> tuple[str, list[Fact]]:
    head = letter.head
    routing = {
        LetterVariant.GENERAL: Fact("Routing number (ABA)", head.routing_number),
        LetterVariant.ACH: Fact("ACH routing number (ABA)", head.routing_number),
        LetterVariant.WIRE_DOMESTIC: Fact("Wire routing number (ABA)", head.routing_number),
        LetterVariant.WIRE_INTERNATIONAL: Fact("SWIFT / BIC", head.swift),
    }
    return "Bank", [
        Fact("Name", head.name),
        routing[letter.variant],
        Fact("Address", ", ".join(head.address_lines)),
        Fact("Telephone", head.phone),
    ]


def _intermediary(bank: Intermediary) -> tuple[str, list[Fact]]:
    return "Intermediary bank", [
        Fact("Name", bank.name),
        Fact("SWIFT / BIC", bank.swift),
        Fact("Address", ", ".join(bank.address_lines)),
    ]


def _draw_signature(document: PdfDocument, bank: str) -> None:
    """Draw the panel that explains the digital signature."""
    document.need(58)
    bottom = document.y - 52
    with document.canvas.artifact():
        document.box(LEFT, bottom, WIDTH, 46, SHADE)
        document.box(LEFT, bottom, 4, 46, TEAL)
    with document.canvas.leaf("P"):
        signed = cut(f"Digitally signed by {bank}", WIDTH - 60, 10)
        document.text(LEFT + 16, bottom + 27, signed + " ", font=BOLD, size=10)
        document.text(LEFT + 16, bottom + 12, SIGNED, size=8.5)
    document.y = bottom - 6
