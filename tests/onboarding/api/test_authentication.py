"""The Authorization header: its scheme, and where the pair is parted."""

import pytest

from onboarding.api.authentication import AuthenticationRequired, read_credentials


@pytest.mark.parametrize("scheme", ["Vestibule", "vestibule", "VESTIBULE"])
def test_the_scheme_is_read_in_any_case(scheme):
    assert read_credentials(f"{scheme} ak:sk") == ("ak", "sk")


def test_the_scheme_is_a_setting(settings):
    settings.LEAD_API_SCHEME = "Bank"

    assert read_credentials("Bank ak:sk") == ("ak", "sk")
    with pytest.raises(AuthenticationRequired):
        read_credentials("Vestibule ak:sk")


@pytest.mark.parametrize(
    "header", ["", "Vestibule", "Vestibule ak", "Vestibule ak:", "Vestibule :sk", "Bearer ak:sk"]
)
def test_without_a_pair_of_the_scheme_credentials_are_asked_for(header):
    with pytest.raises(AuthenticationRequired):
        read_credentials(header)


def test_the_pair_is_parted_at_the_first_colon():
    assert read_credentials("Vestibule ak:sk:x") == ("ak", "sk:x")
