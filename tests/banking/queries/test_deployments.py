"""Which deployment and which database this is."""

import pytest
from django.db import connection

from banking.models import Deployment
from banking.queries.deployments import get_database_identity, get_deployment
from banking.services import deployments
from tests.factories import NOON

pytestmark = pytest.mark.django_db


def test_before_the_first_start_there_is_no_deployment():
    assert get_deployment() is None


def test_a_deployment_is_read_without_opening_its_canary(settings):
    deployments.verify(at=NOON, may_record=True)
    settings.PII_KEYS = f"new:{'2b' * 32}"

    deployment = get_deployment()

    assert deployment == Deployment.objects.defer("canary").get()
    assert deployment.envelope.startswith("e2.")


def test_only_postgresql_tells_a_database_from_its_copy():
    identity = get_database_identity()

    assert bool(identity) == (connection.vendor == "postgresql")
    assert identity == get_database_identity()
