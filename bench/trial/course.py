"""The course of the trial: machines, steps, load, faults, and the figures."""

import json
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from bench.trial import faults, report, services, steps
from bench.trial.machines import ADDRESSES, NAMES, CommandFailed, Machine, make_network, run
from bench.trial.steps import Block
from tests.poolers import NEEDED, PGBOUNCER, version

WITH_ROOT = ["app1", "app2", "db", "db2", "proxy", "proxy2"]
HAS_POOLER = version() >= NEEDED
SETTLE_SECONDS = 120.0
FIRST_CHECK = 5  # the step before which the other services must run
CUSTOMER = """
import sys
sys.path.append("/opt/trial")
from django.utils import timezone
from mcp_server.scopes import Scope
from mcp_server.services.connections import issue_token
from tests import factories

user = factories.make_user(email="owner@bank.example")
owner = factories.make_business_owner(user=user)
factories.make_account(owner.business)
print("token", issue_token(user, client_name="trial", scopes=Scope.values, at=timezone.now()))
"""
started_at = time.monotonic()


def say(text: str) -> None:
    """Print a line with the seconds since the start."""
    print(f"{time.monotonic() - started_at:5.0f} s  {text}", flush=True)  # noqa: T201 - a bench


class Course:
    """The machines of a trial and the programs on them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        run("mount", "--make-rprivate", "/")
        run("mount", "-t", "tmpfs", "-o", "mode=755", "tmpfs", folder)
        self.authority = services.Authority(folder / "ca")
        make_network()
        self.machines = {
            name: Machine(name, folder, has_root=name in WITH_ROOT) for name in ADDRESSES
        }
        for machine in self.machines.values():
            machine.connect()
        release = build_release(folder / "release")
        for name in ("app1", "app2"):
            self.machines[name].add_packages(release)
        for name in ("app1", "app2") if HAS_POOLER else ():
            shutil.copy(str(PGBOUNCER), self.machines[name].root / "usr/local/sbin/pgbouncer")
        for one, other in [("db", "app1"), ("app1", "app2"), ("proxy", "app1"), ("proxy2", "app1")]:
            self.machines[one].show(self.machines[other])
        with ThreadPoolExecutor() as pool:
            trusting = [self.machines[name] for name in ("app1", "app2", "db2")]
            list(pool.map(lambda machine: machine.trust(self.authority.root), trusting))
        pem = "/etc/haproxy/vestibule.pem"
        self.authority.give(self.machines["proxy"], pem, pem)
        nginx = "/etc/nginx/vestibule"
        self.authority.give(self.machines["proxy2"], f"{nginx}.crt", f"{nginx}.key")

    def follow_steps(self) -> None:
        """Run the blocks of docs/production.md. Raises: CommandFailed."""
        database = services.start_database(self.machines["db"], self.authority)
        number = 0
        for block in steps.read():
            if block.number != number:
                number = block.number
                say(f"step {number}: {block.title}")
                if number == FIRST_CHECK:
                    self.start_services(database)
            self.follow(block)
        if HAS_POOLER:
            say("pgbouncer between the programs and PostgreSQL")
            for block in steps.read(pattern=steps.POOLER):
                self.follow(block)
        else:
            say("no pgbouncer 1.21 or newer; name one in PGBOUNCER")
        nginx = "scp root@app1:/root/release/docs/production/nginx.conf /etc/nginx/"
        self.machines["proxy2"].shell(f"{nginx} && nginx -t 2>&1 && systemctl restart nginx")

    def follow(self, block: Block) -> None:
        """Run a block on its machines at once, and show its output."""
        machines = [self.machines[name] for name in block.machines]
        with ThreadPoolExecutor() as pool:
            outputs = list(pool.map(lambda machine: machine.shell(block.commands), machines))
        for machine, output in zip(machines, outputs, strict=True):
            for line in output.strip().splitlines():
                if not line.lstrip().startswith(("Applying", "WARNING: ?")):
                    print(f"         {machine.name}: {line[:300]}", flush=True)  # noqa: T201 - a bench talks

    def start_services(self, database: "subprocess.Popen[bytes]") -> None:
        """Start the services around Vestibule, with the passwords that the steps wrote."""
        machines, authority = self.machines, self.authority
        settings = services.settings_of(machines["app1"])
        start_redis = partial(services.start_redis, machines["redis"], settings, authority)
        redis = start_redis()
        services.start_store(machines["s3"], settings, authority)
        self.mails = services.start_mail(machines["mail"], settings, authority)
        services.start_replica(machines["db2"], machines["db"], authority)
        scanner, _ = [services.start_scanner(machines[name]) for name in ("app1", "app2")]
        self.parts = faults.Parts(machines, database, redis, start_redis, scanner)

    def start_load(self) -> "subprocess.Popen[bytes]":
        """Register a webhook and a customer, and start to call."""
        app, partner = self.machines["app1"], self.machines["partner"]
        lines = (app.root / "root/cedar-key.txt").read_text().splitlines()
        words = {line.partition("  ")[0]: line.split()[-1] for line in lines}
        key = f"{words['access key']}:{words['secret key']}"
        url = f"https://{NAMES['partner']}/vestibule"
        created = app.shell(
            "curl --fail-with-body -sS -X PUT https://api.example.com/service/api/v1/webhooks "
            f"-H 'Authorization: Vestibule {key}' -H 'Content-Type: application/json' "
            f"-H 'Accept: application/json' -d '{{\"serverUrl\": \"{url}\"}}'"
        )
        receiver = [sys.executable, "-m", "bench.webhook_receiver", "443", self.received]
        secret = json.loads(created)["signingSecret"]
        partner.start([*receiver, secret, partner.address, self.authority.both], "receiver")
        shown = app.shell(f"vestibule-admin owner shell -v 0 -c '{CUSTOMER}'")
        token = shown.rpartition("token ")[2].split()[0]
        configuration = self.folder / "load.json"
        facts = {
            "proxies": [ADDRESSES["proxy"], ADDRESSES["proxy2"]],
            "authority": str(self.authority.root),
            "key": key,
            "token": token,
        }
        configuration.write_text(json.dumps(facts))
        module = [sys.executable, "-m", "bench.trial.load"]
        return self.machines["client"].start([*module, configuration, self.requests], "load")

    @property
    def requests(self) -> Path:
        """Return the log of the load."""
        return self.folder / "requests.jsonl"

    @property
    def received(self) -> Path:
        """Return the log of the receiver."""
        return self.folder / "received.jsonl"

    def settle(self) -> report.Outcome:
        """Return the outcome once every webhook has arrived, or not in time."""
        deadline = time.monotonic() + SETTLE_SECONDS
        while (outcome := self.outcome()).faults() and time.monotonic() < deadline:
            time.sleep(2)
        return outcome

    def outcome(self) -> report.Outcome:
        """Return the calls, the webhook messages and the stored leads until now."""
        leads = "SELECT external_id FROM onboarding_lead"
        waiting = "SELECT count(*) FROM onboarding_delivery WHERE next_attempt_at IS NOT NULL"
        database = self.machines["db"]
        return report.Outcome(
            requests=report.read(self.requests),
            received=report.read(self.received),
            stored=set(services.query(database, leads)),
            replicated=len(services.query(self.machines["db2"], leads)),
            waiting=int(services.query(database, waiting)[0]),
            mails=len(self.mails.read_text().splitlines()),
        )


def build_release(folder: Path) -> Path:
    """Make the wheel and the source archive, with their checksums, as `make release` does."""
    folder.mkdir()
    run(sys.executable, "-m", "hatchling", "build", "-d", folder)
    run("sh", "-c", f"cd {folder} && sha256sum -- * > SHA256SUMS")
    return folder


def run_course(folder: Path, page: Path | None) -> int:
    """Run the trial; return the exit status."""
    say("eleven machines, a bridge and a CA")
    course = Course(folder)
    course.follow_steps()
    say("the load starts")
    load = course.start_load()
    services.wait("the load", lambda: len(report.read(course.requests)) > 20)
    windows = faults.run_all(course.parts, say, with_pooler=HAS_POOLER)
    load.terminate()
    load.wait()
    say("the load ends; the last webhooks arrive")
    outcome = course.settle()
    say("all records are proved, as each night")
    course.machines["app1"].shell("systemctl start vestibule-verify")
    say(course.machines["app1"].shell("cat /var/lib/vestibule-auditor/proof-*.txt").strip())
    text = report.describe(outcome, windows, time.monotonic() - started_at)
    print(text, flush=True)  # noqa: T201 - a bench talks
    if page:
        report.write(page, text)
    failures = outcome.failures(windows)
    for failure in failures:
        say(failure)
    for window in windows:
        for line in outcome.failed_in(window) if window.name in faults.WITHOUT_FAILURES else ():
            say(json.dumps(line))
    return bool(outcome.faults() or failures)


def show_logs(folder: Path) -> None:
    """Print the end of each log."""
    logs = [*folder.glob("*/*.log"), *folder.glob("*/upper/var/log/vestibule-*.log")]
    for log in logs:
        end = "\n".join(log.read_text(errors="replace").splitlines()[-8:])
        if end:
            print(f"--- {log}\n{end}", flush=True)  # noqa: T201 - a bench talks


def run_and_explain(folder: Path, *, page: Path | None, keep: bool) -> int:
    """Run the trial, and show the logs if it cannot go on."""
    try:
        status = run_course(folder, page)
    except (CommandFailed, services.NotStarted) as exc:
        show_logs(folder)
        print(exc, flush=True)  # noqa: T201 - a bench talks
        status = 1
    if keep:
        print(f"{folder} is kept until Ctrl-C.", flush=True)  # noqa: T201 - a bench talks
        time.sleep(24 * 3600)
    return status
