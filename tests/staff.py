"""Staff who look at the screens: fixtures that the conftest of each app's screens takes over."""

import re
from importlib import import_module

import pytest
from django.conf import settings
from django.contrib.auth.models import Permission
from django.contrib.messages.storage import default_storage
from django.core.exceptions import BadRequest, PermissionDenied, SuspiciousOperation
from django.http import Http404, HttpResponse
from django.test import Client, RequestFactory
from django.urls import resolve

from banking.models import StaffChange, User
from banking.services import staff_changes
from tests.factories import NOON


def sign_in(user):
    client = Client()
    client.force_login(user)
    return client


def make_chief():
    """Return a client of somebody who may do everything."""
    return sign_in(User.objects.create_superuser("chief@example.com"))


@pytest.fixture
def chief(db):
    return make_chief()


def confirm_change():
    """Confirm the one open change as a second administrator, and return it."""
    second, _ = User.objects.get_or_create(email="second@example.com", user_type="STAFF")
    return staff_changes.confirm(StaffChange.objects.get(status="OPEN"), by=second, at=NOON)


@pytest.fixture
def make_staff(db):
    """Return clients of staff with no more than the named permissions."""

    def make(*codenames):
        user = User.objects.create_user(
            f"staff{User.objects.count()}@example.com", user_type="STAFF"
        )
        user.user_permissions.set(Permission.objects.filter(codename__in=codenames))
        return sign_in(user)

    return make


@pytest.fixture
def count_queries(chief, django_assert_max_num_queries):
    """Return how many statements the page at a path takes."""

    def count(path):
        chief.get(path)  # what a process looks up once, for example content types, is not counted
        with django_assert_max_num_queries(45) as statements:
            assert chief.get(path).status_code == 200
        return len(statements)

    return count


def ask_view(user, path, method="GET", data=None):
    """Return what the view at a path answers to a user, not rendered, and without middleware."""
    request = getattr(RequestFactory(), method.lower())(path, data)
    request.user = user
    request.session = import_module(settings.SESSION_ENGINE).SessionStore()
    request._messages = default_storage(request)  # noqa: SLF001 - as the middleware does
    request._dont_enforce_csrf_checks = True  # noqa: SLF001 - as the test client does
    request.resolver_match = found = resolve(request.path_info)
    try:
        return found.func(request, *found.args, **found.kwargs)
    except PermissionDenied:
        return HttpResponse(status=403)
    except Http404:
        return HttpResponse(status=404)
    except (BadRequest, SuspiciousOperation):
        return HttpResponse(status=400)


def text_of(response):
    """Return the text of a page without its tags."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", response.content.decode()))


def crawl(client):
    """Yield each page that links from the home page lead to, after its path."""
    waiting, seen = ["/admin/"], set()
    while waiting:
        path = waiting.pop()
        answer = client.get(path)
        if answer.streaming:
            continue
        text = answer.content.decode()
        yield path, text
        links = set(re.findall(r'href="(/admin/(?:onboarding|auth|banking)/[^"?#]*)', text))
        fresh = links - seen
        seen |= fresh
        waiting.extend(fresh)


def require_a_strict_page(path, text):
    """Require that a page keeps the content security policy."""
    assert not re.search(r"<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)", text), path
    assert not re.search(r'(?:src|href)="(?:https?:)?//', text), path
