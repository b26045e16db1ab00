import pytest

from banking.models import User


@pytest.fixture
def chief(client, db):
    client.force_login(User.objects.create_superuser("chief@example.com"))
    return client


def test_a_user_is_added_by_email(chief):
    form = {"email": "dana@example.com", "usable_password": "true"}
    form |= dict.fromkeys(["password1", "password2"], "correct horse battery")

    chief.post("/admin/banking/user/add/", form)

    assert User.objects.get(email="dana@example.com").check_password("correct horse battery")


@pytest.mark.parametrize("page", ["banking/user/", "banking/user/add/", "auth/group/"])
def test_the_screens_of_users_and_groups_are_there(chief, page):
    assert chief.get(f"/admin/{page}").status_code == 200
