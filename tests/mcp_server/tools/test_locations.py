"""Locations of purchases, as an assistant sees them."""

import pytest

from tests.mcp_server.tools.conftest import make_location

LOCATIONS = "svc_get_transaction_locations"
OURS = 2  # statements of every call: who asks, and the log


def test_locations_come_in_the_order_of_their_keys(
    assistant, account, purchase, make_transaction, django_assert_num_queries
):
    plain = make_location("online", line1="", line2="", city="", state="", postal_code="")
    make_transaction(account, -100, location=plain)
    make_location("elsewhere")

    with django_assert_num_queries(OURS + 1):
        answer = assistant.call(LOCATIONS, locationKeys="online, elsewhere,reno-1,,online,none")

    assert answer == {
        "locations": [
            {
                "locationKey": "online",
                "streetAddress": None,
                "city": None,
                "state": None,
                "postalCode": None,
                "country": "US",
                "latitude": None,
                "longitude": None,
            },
            {
                "locationKey": "reno-1",
                "streetAddress": "1 Main St, Suite 2",
                "city": "Reno",
                "state": "NV",
                "postalCode": "89501",
                "country": "US",
                "latitude": 39.5296,
                "longitude": -119.8138,
            },
        ],
        "notFound": ["elsewhere", "none"],
    }


def test_a_location_where_only_others_bought_is_not_found(assistant, account, make_transaction):
    make_transaction(location=make_location("theirs"))

    answer = assistant.call(LOCATIONS, locationKeys="theirs")

    assert answer == {"locations": [], "notFound": ["theirs"]}


def test_ten_locations_are_the_most(assistant):
    keys = [f"key-{number}" for number in range(11)]

    ten = assistant.call(LOCATIONS, locationKeys=",".join(keys[:10]))
    eleven = assistant.refusal(LOCATIONS, locationKeys=",".join(keys))

    assert ten == {"locations": [], "notFound": keys[:10]}
    message = "locationKeys: must be at most 10 keys; ask for the others next"
    assert eleven == ("INVALID_PARAMETER", message)


@pytest.mark.parametrize("keys", ["", " , ,"])
def test_no_location_is_refused(assistant, keys):
    message = "locationKeys: must name a locationKey from svc_search_transactions"

    assert assistant.refusal(LOCATIONS, locationKeys=keys) == ("INVALID_PARAMETER", message)
