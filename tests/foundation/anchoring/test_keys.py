"""The keys of anchors."""

import subprocess

import pytest

from foundation.anchoring import keys
from tests.factories import make_anchor_key


@pytest.fixture
def key_file(tmp_path):
    return make_anchor_key(tmp_path / "key.pem")


def public_part(path):
    """Return the public key of a file, as the runbook has it made."""
    command = ["openssl", "pkey", "-in", path, "-pubout"]
    return subprocess.run(command, check=True, capture_output=True).stdout


def test_a_key_made_by_openssl_signs_and_its_public_part_verifies(tmp_path):
    made = tmp_path / "made.pem"
    subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", made], check=True)
    public = tmp_path / "public.pem"
    public.write_bytes(public_part(made))

    signature = keys.load(made).sign(b"statement")

    assert keys.load(public).verifies(b"statement", signature, number=1)
    assert not keys.load(public).verifies(b"another", signature, number=1)
    with pytest.raises(keys.KeyFault, match="only verify"):
        keys.load(public).sign(b"statement")


def test_another_key_does_not_verify(key_file, tmp_path):
    other = keys.load(make_anchor_key(tmp_path / "other.pem"))

    assert not other.verifies(b"statement", keys.load(key_file).sign(b"statement"), number=1)


def test_a_retired_key_verifies_anchors_up_to_its_last(key_file, tmp_path):
    signature = keys.load(key_file).sign(b"statement")
    new = make_anchor_key(tmp_path / "new.pem")
    new.write_bytes(new.read_bytes() + b"Until anchor 12\n" + public_part(key_file))

    both = keys.load(new)

    assert both.verifies(b"statement", signature, number=12)
    assert not both.verifies(b"statement", signature, number=13)
    assert both.verifies(b"statement", both.sign(b"statement"), number=13)
    assert both.signing_id != keys.load(key_file).signing_id


def test_a_second_key_without_an_end_is_refused(key_file, tmp_path):
    new = make_anchor_key(tmp_path / "new.pem")
    new.write_bytes(new.read_bytes() + public_part(key_file))

    with pytest.raises(keys.KeyFault, match="Until anchor"):
        keys.load(new)


def test_the_private_key_has_no_end(key_file):
    key_file.write_bytes(b"Until anchor 12\n" + key_file.read_bytes())

    with pytest.raises(keys.KeyFault, match="Until anchor"):
        keys.load(key_file)


@pytest.mark.parametrize("content", [b"", b"no key", b"-----BEGIN X-----\nAA\n-----END X-----"])
def test_a_file_without_keys_is_refused(tmp_path, content):
    path = tmp_path / "key.pem"
    path.write_bytes(content)

    with pytest.raises(keys.KeyFault):
        keys.load(path)


def test_a_key_of_another_kind_is_refused(tmp_path):
    path = tmp_path / "rsa.pem"
    subprocess.run(
        ["openssl", "genpkey", "-algorithm", "rsa", "-out", path], check=True, capture_output=True
    )

    with pytest.raises(keys.KeyFault, match="Ed25519"):
        keys.load(path)


def test_a_missing_file_and_no_file_are_refused(tmp_path):
    with pytest.raises(keys.KeyFault):
        keys.load(tmp_path / "none.pem")
    with pytest.raises(keys.KeyFault, match="ANCHOR_KEY_FILE"):
        keys.load(None)
