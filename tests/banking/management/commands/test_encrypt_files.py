"""manage.py encrypt_files."""

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import storages
from django.core.management import CommandError, call_command

from banking.models import Deployment
from banking.services import stores
from foundation.privacy import file_rotation
from foundation.privacy.encrypted_files import HEADER_BYTES, MAGIC

pytestmark = pytest.mark.django_db
PLAIN = {
    ("documents", "leads/1/2"): b"%PDF passport",
    ("documents", "quarantine/leads/1/3"): b"%PDF orphan",
    ("documents", "partners/1/logo.png"): b"\x89PNG",
    ("papers", "ab/abc"): b"%PDF statement",
    ("papers", "jobs/1-1"): b"a,b\r\n",
}


@pytest.fixture(autouse=True)
def disk(encrypted_disk, own_store):
    for (alias, name), content in PLAIN.items():
        storages[alias].store.save(name, ContentFile(content))
    return encrypted_disk


def said(capsys, *arguments):
    call_command("encrypt_files", *arguments)
    return capsys.readouterr().out


def test_every_file_with_personal_data_is_encrypted_once(disk, capsys):
    assert said(capsys, "--dry-run") == (
        "4 files would be encrypted, 0 would be wrapped with the present key, 0 were already\n"
    )
    assert said(capsys) == ("4 files encrypted, 0 wrapped with the present key, 0 were already\n")
    assert said(capsys) == ("0 files encrypted, 0 wrapped with the present key, 4 were already\n")

    plain = [path for path in disk.rglob("*") if path.is_file()]
    left = [path.name for path in plain if not path.read_bytes().startswith(MAGIC)]
    assert sorted(left) == [stores.MARKER, "logo.png"]
    for (alias, name), content in PLAIN.items():
        with storages[alias].open(name) as opened:
            assert opened.read() == content


def test_all_files_can_be_verified_without_a_change(disk, capsys):
    said(capsys)
    assert said(capsys, "--verify") == "4 files can be read\n"

    path = disk / "papers" / "ab" / "abc"
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(CommandError, match="1 files cannot be read; see the log"):
        call_command("encrypt_files", "--verify")
    assert capsys.readouterr().out == "3 files can be read\n"


def test_after_it_plain_files_can_be_refused(capsys, settings):
    said(capsys)
    settings.UNENCRYPTED_FILES = "refuse"

    for (alias, name), content in PLAIN.items():
        with storages[alias].open(name) as opened:
            assert opened.read() == content
    assert stores.ownership_fault() == ""


def test_files_of_another_deployment_are_left_alone():
    Deployment.objects.update(external_id="11111111-1111-4111-8111-111111111111")

    with pytest.raises(CommandError, match="The store is of deployment"):
        call_command("encrypt_files")

    with storages["documents"].store.open("leads/1/2") as opened:
        assert opened.read() == b"%PDF passport"


def test_files_that_cannot_be_read_are_counted_and_the_others_encrypted(capsys, settings, caplog):
    settings.PII_KEYS = f"gone:{'1a' * 32}"
    storages["papers"].save("ab/gone", ContentFile(b"x"))
    settings.PII_KEYS = f"new:{'2b' * 32}"

    with pytest.raises(CommandError, match="1 files cannot be read; see the log"):
        call_command("encrypt_files")

    assert capsys.readouterr().out.startswith("4 files encrypted")
    assert "the file papers/ab/gone cannot be read: no key unwraps its data key" in caplog.text


def test_a_file_with_a_damaged_header_is_counted_and_the_others_encrypted(capsys):
    header = MAGIC + b"no key".ljust(HEADER_BYTES - len(MAGIC))
    storages["papers"].store.save("ab/damaged", ContentFile(header))

    with pytest.raises(CommandError, match="1 files cannot be read; see the log"):
        call_command("encrypt_files")

    assert capsys.readouterr().out.startswith("4 files encrypted")


def test_a_key_service_that_is_away_ends_it(key_service_away):
    with pytest.raises(CommandError, match=r"^AWS KMS: .*; run again$"):
        call_command("encrypt_files")


def test_interrupted_it_says_how_far_it_came(monkeypatch):
    renew, calls = file_rotation.renew, []

    def interrupted(*arguments, **options):
        calls.append(arguments)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return renew(*arguments, **options)

    monkeypatch.setattr(file_rotation, "renew", interrupted)

    with pytest.raises(CommandError, match="interrupted after 2 files; run again"):
        call_command("encrypt_files")
