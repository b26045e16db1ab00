from foundation.privacy.encrypted_files import PIECE_BYTES
from foundation.privacy.encrypted_spools import EncryptedSpool

CONTENT = b"PASSPORT 123-45-6789 " * 10_000


def test_a_spool_is_never_plain_on_disk_and_is_read_again_and_again(tmp_path):
    spool = EncryptedSpool(tmp_path / "spool")
    for start in range(0, len(CONTENT), 50_000):
        spool.write(CONTENT[start : start + 50_000])

    for _ in range(2):
        with spool.as_file() as file:
            assert file.read() == CONTENT
    assert len(CONTENT) > 2 * PIECE_BYTES
    assert b"PASSPORT" not in spool.path.read_bytes()
    assert spool.path.stat().st_mode & 0o777 == 0o600
    spool.close()

    assert list((tmp_path / "spool").iterdir()) == []


def test_a_file_that_a_storage_took_stays_and_the_spool_is_still_read(tmp_path):
    spool = EncryptedSpool(tmp_path)
    spool.write(CONTENT)
    with spool.as_file() as file:
        assert file.spool is spool
        spool.path.rename(tmp_path / "taken")
        assert file.spool is None

    with spool.as_file() as file:
        assert file.read() == CONTENT
    spool.close()

    assert (tmp_path / "taken").exists()
