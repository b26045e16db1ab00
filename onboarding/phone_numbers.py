"""Phone numbers, formatted for people."""

import phonenumbers


def in_groups(number: str) -> str:
    """Return an E.164 number in readable groups, +1 202-555-0123; any other text unchanged."""
    try:
        parsed = phonenumbers.parse(number)
    except phonenumbers.NumberParseException:
        return number
    return phonenumbers.format_number(parsed, phonenumbers.PhoneNumberFormat.INTERNATIONAL)
