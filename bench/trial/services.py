"""The services around Vestibule: a CA, PostgreSQL with a replica, Redis, S3, mail, clamd.

Each listens with TLS, with the passwords that the steps of docs/production.md wrote.
"""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from configparser import ConfigParser
from pathlib import Path
from urllib.parse import urlsplit

import boto3
import urllib3
from botocore.config import Config

from bench.trial import systemctl
from bench.trial.machines import NAMES, Machine, run

PYTHON = sys.executable
TIMEOUT_SECONDS = 240.0  # a busy machine takes long to start
HBA = """local all all peer
hostssl vestibule all 10.0.0.0/24 scram-sha-256
hostssl replication replicator 10.0.0.0/24 scram-sha-256
"""
DATA = "/var/lib/postgresql/trial"
SIGNATURE = "Trial.Signature:0:*:58354f2150254041505b345c505a58353428505e29\n"
REDIS_RIGHTS = "~vestibule:* &* +@all -@admin -@dangerous +info"  # as in docs/production.md
CLAMD = """Foreground yes
LocalSocket /run/clamav/clamd.ctl
LocalSocketMode 666
DatabaseDirectory /var/lib/trial-clamav
StreamMaxLength 30M
MaxFileSize 30M
MaxScanSize 30M
AlertExceedsMax yes
TemporaryDirectory /tmp
"""


class NotStarted(Exception):
    """A part did not answer in time."""


class Authority:
    """A private CA, and one certificate for all names of the trial."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        self.certificate, self.key = folder / "server.crt", folder / "server.key"
        self.root, self.both = folder / "ca.crt", folder / "server.pem"
        curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "7"]
        run(
            *["openssl", "req", "-x509", *curve, "-subj", "/CN=Trial CA"],
            *["-keyout", folder / "ca.key", "-out", self.root],
            *["-addext", "keyUsage=critical,keyCertSign,cRLSign"],
        )
        names = ",".join(f"DNS:{name}" for name in NAMES.values())
        run(
            *["openssl", "req", "-x509", *curve, "-subj", "/CN=Trial", "-keyout", self.key],
            *["-out", self.certificate, "-CA", self.root, "-CAkey", folder / "ca.key"],
            *[
                "-addext",
                f"subjectAltName={names}",
                "-addext",
                "basicConstraints=critical,CA:FALSE",
            ],
        )
        self.both.write_text(self.certificate.read_text() + self.key.read_text())

    def give(self, machine: Machine, certificate: str, key: str, owner: str = "root") -> None:
        """Copy the certificate and its key onto a machine; the same path means one file."""
        for source, name in ((self.certificate, certificate), (self.key, key)):
            file = machine.root / name.removeprefix("/")
            file.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(self.both if certificate == key else source, file)
            file.chmod(0o600)
        machine.shell(f"chown {owner}: {certificate} {key}")


def binaries() -> Path:
    """Return the folder of the newest PostgreSQL."""
    return max(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))


def as_postgres(command: str) -> str:
    """Return a shell command that the user postgres runs."""
    return f"su postgres -s /bin/bash -c '{command}'"


def start_database(machine: Machine, authority: Authority) -> "subprocess.Popen[bytes]":
    """Make a cluster with TLS and start it."""
    authority.give(
        machine, "/var/lib/postgresql/tls.crt", "/var/lib/postgresql/tls.key", "postgres"
    )
    machine.shell(
        f"install -d -o postgres -m 700 {DATA}; install -d -o postgres /run/postgresql;"
        + as_postgres(f"{binaries()}/initdb -D {DATA} -A peer -E UTF8 --no-sync >/dev/null")
    )
    (machine.root / DATA.removeprefix("/") / "pg_hba.conf").write_text(HBA)
    return run_database(machine)


def run_database(machine: Machine) -> "subprocess.Popen[bytes]":
    """Start the server of a cluster, and return once it answers."""
    settings = {
        "listen_addresses": "*",
        "unix_socket_directories": "/run/postgresql",
        "ssl": "on",
        "ssl_cert_file": "/var/lib/postgresql/tls.crt",
        "ssl_key_file": "/var/lib/postgresql/tls.key",
        "max_connections": "200",
        "max_wal_senders": "4",
        "hot_standby_feedback": "on",
        "wal_keep_size": "256MB",
        "full_page_writes": "off",  # the files are in memory
    }
    user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups"]
    options = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
    home = {**os.environ, "HOME": "/var/lib/postgresql"}  # where a replica looks for certificates
    command = [*user, binaries() / "postgres", "-D", DATA, *options]
    process = machine.start(command, "postgresql", env=home)
    wait("PostgreSQL", lambda: bool(machine.shell(as_postgres('psql -qAtc "SELECT 1"'))))
    return process


def start_replica(machine: Machine, primary: Machine, authority: Authority) -> None:
    """Make a streaming replica over TLS, and start it."""
    create = "CREATE ROLE replicator REPLICATION LOGIN PASSWORD $$trial-replica$$"
    primary.shell(as_postgres(f'psql -qc "{create.replace("$", chr(92) + "$")}"'))
    authority.give(
        machine, "/var/lib/postgresql/tls.crt", "/var/lib/postgresql/tls.key", "postgres"
    )
    source = (
        f"host={NAMES['db']} user=replicator password=trial-replica sslmode=verify-full "
        "sslrootcert=/etc/ssl/certs/ca-certificates.crt"
    )
    machine.shell(
        "install -d -o postgres /run/postgresql;"
        + as_postgres(f'{binaries()}/pg_basebackup -D {DATA} -R -X stream -c fast -d "{source}"')
    )
    run_database(machine)


def query(machine: Machine, statement: str) -> list[str]:
    """Return the rows of a statement, each as text."""
    quoted = statement.replace('"', '\\"').replace("'", "'\\''")
    return machine.shell(as_postgres(f'psql -qAt -d vestibule -c "{quoted}"')).splitlines()


def settings_of(machine: Machine) -> dict[str, str]:
    """Return the settings that the steps have written, and the secrets by their names."""
    folder = machine.root / "etc/vestibule"
    store = ConfigParser()
    store.read(folder / "credentials/AWS_SHARED_CREDENTIALS")
    files = {file.name: file.read_text().strip() for file in (folder / "credentials").iterdir()}
    return {**systemctl.read(str(folder / "environment")), **files, **store["default"]}


def start_redis(
    machine: Machine, settings: dict[str, str], authority: Authority
) -> "subprocess.Popen[bytes]":
    """Start a broker that keeps nothing on disk."""
    broker = urlsplit(settings["CELERY_BROKER_URL"])
    file = machine.folder / "redis.conf"
    file.write_text(
        f"port 0\ntls-port {broker.port}\nbind 0.0.0.0\nsave ''\nprotected-mode no\n"
        f"tls-cert-file {authority.certificate}\ntls-key-file {authority.key}\n"
        f"tls-ca-cert-file {authority.root}\ntls-auth-clients no\n"
        f"user default off\nuser {broker.username} on >{broker.password} {REDIS_RIGHTS}\n"
    )
    process = machine.start(["redis-server", file], "redis", start_new_session=True)
    wait_for_port(machine.address, broker.port or 6379)
    return process


def start_store(machine: Machine, settings: dict[str, str], authority: Authority) -> None:
    """Start moto as S3, and make both buckets."""
    server = Path(PYTHON).with_name("moto_server")
    endpoint = {"MOTO_S3_CUSTOM_ENDPOINTS": settings["DOCUMENT_S3_ENDPOINT"]}  # paths name buckets
    tls = ["-c", authority.certificate, "-k", authority.key]
    everywhere = ["-H", "0.0.0.0", "-p", "443"]  # noqa: S104 - a namespace of its own
    command = [PYTHON, server, *everywhere, *tls]
    machine.start(command, "moto", env={**os.environ, **endpoint})
    wait_for_port(machine.address, 443)
    urllib3.disable_warnings()  # the certificate has the name, and this process has no names
    client = boto3.client(
        "s3",
        endpoint_url=f"https://{machine.address}",
        verify=False,
        config=Config(retries={"max_attempts": 3}),
        region_name=settings["DOCUMENT_S3_REGION"],
        aws_access_key_id=settings["aws_access_key_id"],
        aws_secret_access_key=settings["aws_secret_access_key"],
    )
    client.create_bucket(Bucket="vestibule")
    client.create_bucket(Bucket="vestibule-anchors", ObjectLockEnabledForBucket=True)
    for bucket in ("vestibule", "vestibule-anchors"):
        client.put_bucket_versioning(Bucket=bucket, VersioningConfiguration={"Status": "Enabled"})


def start_mail(machine: Machine, settings: dict[str, str], authority: Authority) -> Path:
    """Start a mail server; return the file with a line per mail."""
    log = machine.folder / "mails"
    account = [settings["EMAIL_HOST_USER"], settings["EMAIL_HOST_PASSWORD"]]
    address = ["0.0.0.0", settings["EMAIL_PORT"]]  # noqa: S104 - a namespace of its own
    module = [PYTHON, "-m", "bench.trial.smtp_sink"]
    machine.start([*module, *address, log, authority.both, *account], "mail")
    wait_for_port(machine.address, int(settings["EMAIL_PORT"]))
    return log


def start_scanner(machine: Machine) -> "subprocess.Popen[bytes]":
    """Start clamd with one signature."""
    database = machine.root / "var/lib/trial-clamav"
    database.mkdir()
    (database / "trial.ndb").write_text(SIGNATURE)
    (machine.root / "etc/trial-clamd.conf").write_text(CLAMD)
    machine.shell("mkdir -p /run/clamav; chown -R clamav: /run/clamav /var/lib/trial-clamav")
    return run_scanner(machine)


def run_scanner(machine: Machine) -> "subprocess.Popen[bytes]":
    """Start clamd, and return once it has made its socket."""
    socket = machine.root / "run/clamav/clamd.ctl"
    socket.unlink(missing_ok=True)  # of one that was killed
    process = machine.start(["clamd", "--config-file=/etc/trial-clamd.conf"], "clamd")
    wait("clamd", socket.exists)
    return process


def wait_for_port(address: str, port: int) -> None:
    """Return once a server takes connections. Raises: NotStarted."""
    import socket

    def answers() -> bool:
        with socket.create_connection((address, port), timeout=1):
            return True

    wait(f"{address}:{port}", answers)


def wait(name: str, is_ready: Callable[[], bool], seconds: float = TIMEOUT_SECONDS) -> None:
    """Return once a part is ready; an error means that it is not. Raises: NotStarted."""
    deadline = time.monotonic() + seconds
    fault: object = ""
    while time.monotonic() < deadline:
        try:
            if is_ready():
                return
        except Exception as exc:  # noqa: BLE001 - not ready yet, whatever the reason
            fault = exc
        time.sleep(0.2)
    raise NotStarted(f"{name} is not ready. {fault}")
