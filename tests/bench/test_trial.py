"""The steps that the trial reads from docs/production.md, and its report."""

import shutil
import subprocess
from functools import partial
from itertools import count
from unittest.mock import Mock, call

import pytest

from bench.trial import __main__ as trial
from bench.trial import faults, report, services, steps, systemctl
from bench.trial.faults import Window
from bench.trial.machines import ADDRESSES, NAMES

pytestmark = pytest.mark.one_database
BLOCKS, POOLER_BLOCKS = steps.read(), steps.read(pattern=steps.POOLER)


def test_the_page_has_ten_steps_for_machines_that_the_trial_has():
    numbers = list(dict.fromkeys(block.number for block in BLOCKS))
    named = {machine for block in BLOCKS for machine in block.machines}

    assert numbers == [1, *range(2, 11)]
    assert named <= ADDRESSES.keys()
    for name in ("db", "redis", "s3", "mail"):
        assert NAMES[name] in steps.PAGE.read_text()


def test_the_blocks_of_the_pooler_are_for_machines_of_the_steps():
    assert [block.machines for block in POOLER_BLOCKS] == [["db"], ["app1", "app2"], ["app1"]]


def test_the_redis_of_the_trial_gives_the_rights_that_the_page_names():
    assert f"user vestibule on >PASSWORD {services.REDIS_RIGHTS}\n" in steps.PAGE.read_text()


def test_each_machine_serves_its_metrics_at_the_address_that_step_ten_asks():
    commands = "".join(block.commands for block in BLOCKS)

    for machine in ("app1", "app2"):
        assert f"METRICS_HOST={ADDRESSES[machine]}" in commands


def test_each_block_is_a_script_of_the_shell():
    for block in [*BLOCKS, *POOLER_BLOCKS]:
        done = subprocess.run(
            ["bash", "-n"], input=block.commands, text=True, capture_output=True, check=False
        )

        assert not done.stderr, f"step {block.number}"


def test_an_environment_file_is_read_as_systemd_and_the_shell_read_it(tmp_path):
    file = tmp_path / "vestibule.env"
    file.write_text(
        "# a comment\nBANK_NAME='Example Bank'\nURL=\"https://bank.example/?a=1&b=2\"\n"
    )

    found = systemctl.read(str(file))

    assert found == {"BANK_NAME": "Example Bank", "URL": "https://bank.example/?a=1&b=2"}


def test_an_instance_is_its_template_with_the_drop_ins_of_all_its_names(tmp_path):
    shutil.copytree(steps.ROOT / "docs" / "systemd", tmp_path, dirs_exist_ok=True)
    own = tmp_path / "vestibule-web@.service.d"
    own.mkdir()
    (own / "web.conf").write_text("[Service]\nEnvironment=METRICS_PORT=9101\n")

    unit = systemctl.read_unit("vestibule-web@8000", tmp_path)

    folder = "/run/credentials/vestibule-web@8000.service"
    assert unit["ExecStart"] == ["/opt/vestibule/bin/vestibule web 8000"]
    assert unit["User"] == ["vestibule"]
    assert unit["Environment"][-1] == "METRICS_PORT=9101"
    assert f"LETTER_SIGNING_FILE={folder}/LETTER_SIGNING" in " ".join(unit["Environment"])
    assert "DATABASE_URL:/etc/vestibule/credentials/DATABASE_URL_WEB" in unit["LoadCredential"]


def test_the_report_counts_failures_and_names_what_was_lost():
    ids = count()
    calls = [
        {"kind": "create", "at": 11.0, "end": 11.2, "status": 201, "customer": "ada"},
        {"kind": "create", "at": 12.0, "end": 12.2, "status": 201, "customer": "lin"},
        {"kind": "read", "at": 13.0, "end": 13.5, "status": 503, "fault": "…"},
    ]
    webhook = {
        "at": 11.9, "webhook_id": next(ids), "is_verified": True, "type": report.CREATED,
        "sequence": 1, "customer": "ada", "status": 204,
    }  # fmt: skip
    outcome = report.Outcome(calls, [webhook], {"ada"}, replicated=1, waiting=0, mails=2)

    text = report.describe(outcome, [Window("web, kill -9", 10.0, 20.0, 4.0)], 60)

    assert "| web, kill -9 | 3 | 1 (1 of 503) | 3.5 s | 4.0 s | 0.9 s |" in text
    assert outcome.faults() == [
        "1 acknowledged leads are not in the database",
        "1 acknowledged leads have no webhook",
    ]


def test_a_request_may_fail_while_a_part_ends_and_not_in_a_rolling_restart():
    calls = [{"kind": "read", "at": at, "end": at, "fault": "…"} for at in (1.0, 11.0, 21.0, 22.0)]
    outcome = report.Outcome(calls, [], set(), replicated=0, waiting=0, mails=0)
    names = [faults.NO_FAULT, "web, kill -9", faults.ROLLING_RESTART]

    windows = [Window(name, 10.0 * place, 10.0 * place + 9) for place, name in enumerate(names)]

    assert outcome.failures(windows) == [
        "1 requests failed: no fault",
        "2 requests failed: rolling restart of both web servers",
    ]
    assert outcome.failures(windows[1:2]) == []


def test_each_machine_that_a_fault_cuts_or_kills_is_one_of_the_trial():
    made = [*faults.FAULTS.values(), *faults.POOLER_FAULTS.values()]
    options = [one.keywords for one in made if isinstance(one, partial)]

    assert {one["name"] for one in options} <= ADDRESSES.keys()
    assert {one["unit"] for one in options if "unit" in one} == systemctl.FOREIGN.keys()


def test_a_machine_whose_network_was_cut_joins_it_again(monkeypatch):
    monkeypatch.setattr(faults, "AWAY_SECONDS", 0.0)
    machine = Mock()

    faults.cut(Mock(machines={"db2": machine}), name="db2")

    assert machine.set_link.mock_calls == [call("down"), call("up")]


def test_a_trial_that_cannot_be_run_does_not_count_as_passed(monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["trial"])
    monkeypatch.setattr(trial, "why_not", lambda: "haproxy cannot be found")

    with pytest.raises(SystemExit) as ended:
        trial.main()

    assert ended.value.code == 2
    assert "haproxy cannot be found" in capsys.readouterr().out
