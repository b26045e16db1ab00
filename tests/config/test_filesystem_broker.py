"""The broker of files: each message is whole, and goes to one reader."""

import secrets
import threading
from concurrent.futures import ThreadPoolExecutor
from queue import Empty

import pytest
from kombu import Connection

from config import celery  # noqa: F401 - names the transport

MANY = 200


@pytest.fixture
def connect(tmp_path):
    """Open connections to one broker, as processes would."""
    opened, run = [], secrets.token_hex(4)

    def connect(queue="work"):
        folder = str(tmp_path / "broker" / "messages")
        options = {
            "data_folder_in": folder,
            "data_folder_out": folder,
            "control_folder": str(tmp_path / "broker" / "control"),
        }
        opened.append(Connection("files://", transport_options=options))
        name = f"{queue}-{run}"  # a process remembers for good which queues it has bound
        return opened[-1].SimpleQueue(name, no_ack=True)

    yield connect
    for connection in opened:
        connection.release()


def drain(queue):
    """Return what a reader gets until nothing waits."""
    taken = []
    while True:
        try:
            taken.append(queue.get_nowait().payload)
        except Empty:
            return taken


def test_its_folders_are_for_our_eyes(connect, tmp_path):
    connect()

    for name in ("messages", "control"):
        assert (tmp_path / "broker" / name).stat().st_mode & 0o777 == 0o700


def test_messages_are_read_in_their_order_by_their_queue(connect):
    queue, other = connect(), connect("other")
    for number in range(3):
        queue.put({"number": number})
        other.put({"number": -1})

    assert [message["number"] for message in drain(queue)] == [0, 1, 2]


def test_many_readers_and_writers_lose_and_repeat_nothing(connect):
    writers, readers = [connect() for _ in range(2)], [connect() for _ in range(3)]

    def write(number):
        for count in range(MANY):
            writers[number].put({"number": number * MANY + count})

    def read(queue):
        taken = []
        while True:
            was_last = written.is_set()
            taken += drain(queue)
            if was_last:
                return taken

    written = threading.Event()
    with ThreadPoolExecutor(5) as pool:
        reading = [pool.submit(read, queue) for queue in readers]
        list(pool.map(write, range(2)))
        written.set()
        taken = [message["number"] for done in reading for message in done.result()]

    assert sorted(taken) == list(range(2 * MANY))


def test_half_a_message_is_not_read(connect, tmp_path):
    queue = connect()
    queue.put({"number": 1})
    (whole,) = (tmp_path / "broker" / "messages").iterdir()
    whole.with_name(f".unready-{whole.name}").write_text('{"numb')
    whole.unlink()

    assert drain(queue) == []


@pytest.mark.parametrize(
    "garbage",
    [
        b"",
        b"\xff\x00garbage",
        b'{"numb',
        b"[" * 100_000,
        b"[]",
        b"{}",
        b'{"body": "", "properties": {}}',
        b'{"body": "", "properties": {"delivery_tag": []}}',
        b'{"body": "", "properties": {"delivery_tag": "a", "delivery_info": "b"}}',
        b'{"body": "%", "properties": {"delivery_tag": "a", "body_encoding": "rot13"}}',
        b'{"body": "a", "properties": {"delivery_tag": "a", "body_encoding": "base64"}}',
        b'{"body": "", "headers": [1], "properties": {"delivery_tag": "a"}}',
    ],
)
def test_what_is_no_message_is_dropped_and_the_next_one_read(connect, tmp_path, caplog, garbage):
    queue = connect()
    queue.put({"number": 1})
    (whole,) = (tmp_path / "broker" / "messages").iterdir()
    first = whole.with_name(f"0_{whole.name}")
    first.write_bytes(garbage)

    assert drain(queue) == [{"number": 1}]

    assert list(whole.parent.iterdir()) == []
    (warning,) = [line for line in caplog.messages if "cannot be read" in line]
    assert first.name in warning
    assert "garbage" not in warning
