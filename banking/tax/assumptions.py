"""The assumptions of a tax estimate, as sentences for its reader."""

from collections.abc import Iterator

from banking.choices import BusinessType, FilingStatus


def assumptions_of(business_type: BusinessType, filing_status: FilingStatus) -> Iterator[str]:
    """Yield the assumptions of an estimate. `docs/tax-tables.md` has the whole list."""
    if business_type == BusinessType.C_CORP:
        yield "The corporation pays the federal income tax; taxes on dividends are left out."
    else:
        yield f"The owner files as: {filing_status.label}."
        yield (
            "One owner has the whole profit, no other income and no dependents, and does not "
            "itemize."
        )
    if business_type == BusinessType.S_CORP:
        yield "The owner draws no salary from the S corporation."
    yield "Local taxes, credits and payments already made are left out."
