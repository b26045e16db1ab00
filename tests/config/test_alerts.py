"""The alerts fire on the series that faults leave, evaluated by promtool: no clock is involved.

The series of a fault change as late as they can: the worker looks at a component at the end of its
interval, and the scrape and the evaluation of the example configuration follow at the end of
theirs.
"""

import json
import subprocess
from dataclasses import dataclass

import pytest
import yaml

from config import status
from tests.config.test_monitoring import FOLDER, RULES, find_promtool

pytestmark = pytest.mark.one_database
CONFIGURATION = yaml.safe_load((FOLDER / "prometheus.yml").read_text())["global"]
SCRAPE, EVALUATION = (
    int(CONFIGURATION[name].removesuffix("s"))
    for name in ("scrape_interval", "evaluation_interval")
)
FAULT = 600  # seconds from the first sample to the fault
WITHIN = 60  # seconds from the fault to the alert
SAMPLES = (FAULT + WITHIN) // SCRAPE
PAGES = 'count by (alertname) (ALERTS{alertstate="firing", severity="page"})'


@dataclass
class Fault:
    """The series that a fault changes, the values of each before and after, and its alert."""

    alert: str
    series: dict[str, tuple[str, str]]
    look: int = 0  # seconds between two looks at the component
    is_page: bool = True

    def changed(self):
        """Return the series as promtool reads them: the last sample without the fault is late."""
        good = (FAULT + self.look + EVALUATION) // SCRAPE
        return {name: f"{old}x{good} {new}x{SAMPLES}" for name, (old, new) in self.series.items()}


def up(component):
    return f'vestibule_component_up{{component="{component}", job="vestibule-worker"}}'


HEALTHY = {
    **{up(component): "1" for component in ("database", "store", "broker", "mail")},
    **{f'up{{job="vestibule-{program}"}}': "1" for program in ("web", "worker", "beat")},
    'vestibule_secrets_match{job="vestibule-worker", instance="worker-2"}': "1",
    "vestibule_database_round_trip_seconds": "0.001",
    "vestibule_disk_free_bytes": "50",
    "vestibule_disk_size_bytes": "100",
    "vestibule_heartbeat_age_seconds": "30",
    'vestibule_work_oldest_seconds{kind="events"}': "0",
}
ATTEMPTS = "vestibule_webhook_attempts_total"
LOOK, MAIL_LOOK = int(status.CACHE_SECONDS), int(status.MAIL_CACHE_SECONDS)
FAULTS = {
    "receiver": Fault(
        "WebhooksFail",
        {
            f'{ATTEMPTS}{{outcome="delivered"}}': (
                "0+10",
                f"{10 * (FAULT + EVALUATION) // SCRAPE}+0",
            ),
            f'{ATTEMPTS}{{outcome="unreachable"}}': ("0+0", "10+10"),
        },
        is_page=False,
    ),
    "mail": Fault("MailServerAway", {up("mail"): ("1", "0")}, MAIL_LOOK),
    "store": Fault("StoreAway", {up("store"): ("1", "0")}, LOOK),
    "broker": Fault("BrokerAway", {up("broker"): ("1", "0")}, LOOK),
    "database": Fault("DatabaseAway", {up("database"): ("1", "0")}, LOOK),
    "slow database": Fault(
        "DatabaseSlow", {"vestibule_database_round_trip_seconds": ("0.001", "0.15")}, LOOK
    ),
    "key": Fault(
        "SecretsDiffer",
        {'vestibule_secrets_match{job="vestibule-worker", instance="worker-2"}': ("1", "0")},
        LOOK,
    ),
    "beat": Fault("BeatDown", {'up{job="vestibule-beat"}': ("1", "0")}),
    "disk": Fault("DiskNearlyFull", {"vestibule_disk_free_bytes": ("50", "2")}),
}


def evaluate(folder, groups, interval=EVALUATION):
    """Let promtool evaluate the shipped rules on series, and fail with its report."""
    file = folder / "series.json"
    test = {
        "rule_files": [str(FOLDER / "rules.yml")],
        "evaluation_interval": f"{interval}s",
        "tests": groups,
    }
    file.write_text(json.dumps(test))
    done = subprocess.run(
        [find_promtool(), "test", "rules", file], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def group(series, expectations, interval=SCRAPE):
    """Return a test: the expected samples of expressions at seconds from the first sample."""
    return {
        "interval": f"{interval}s",
        "input_series": [{"series": name, "values": values} for name, values in series.items()],
        "promql_expr_test": [
            {
                "expr": expression,
                "eval_time": f"{at}s",
                "exp_samples": [{"labels": labels, "value": 1} for labels in found],
            }
            for at, expression, found in expectations
        ],
    }


def firing(alert):
    return f'count by (alertname) (ALERTS{{alertstate="firing", alertname="{alert}"}})'


def named(alert):
    return f'{{alertname="{alert}"}}'


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_fires_its_alert_within_a_minute_and_no_other_page(fault, tmp_path):
    one = FAULTS[fault]
    healthy = {name: f"{value}x{2 * SAMPLES}" for name, value in HEALTHY.items()}
    at = FAULT + WITHIN

    expected = [
        (FAULT, firing(one.alert), []),
        (at, firing(one.alert), [named(one.alert)]),
        (at, PAGES, [named(one.alert)] if one.is_page else []),
    ]

    evaluate(tmp_path, [group({**healthy, **one.changed()}, expected)])


STATE = 'node_systemd_unit_state{name="vestibule-verify.service", state="failed"}'
TRIGGER = 'node_systemd_timer_last_trigger_seconds{name="vestibule-verify.timer"}'
HOUR = 3600


def test_a_proof_that_failed_or_did_not_run_is_an_alert(tmp_path):
    failed, late = firing("ProofFailed"), firing("ProofLate")
    expected = [
        (9 * HOUR, failed, []),
        (12 * HOUR, failed, [named("ProofFailed")]),
        (35 * HOUR, late, []),
        (37 * HOUR, late, [named("ProofLate")]),
    ]
    series = {STATE: "0x39 1x120", TRIGGER: "0x160"}  # each quarter of an hour

    evaluate(tmp_path, [group(series, expected, HOUR // 4)], HOUR // 4)


LASTING = 900  # seconds from the first sample, of faults that last for five minutes
STANDSTILL = {  # what a stopped beat or broker leads to: no heartbeat, no event is published
    "vestibule_heartbeat_age_seconds": ("30", "30+10"),
    'vestibule_work_oldest_seconds{kind="events"}': ("0", "0+10"),
}


@pytest.mark.parametrize("fault", ["broker", "beat"])
def test_a_fault_that_lasts_pages_once(fault, tmp_path):
    one = FAULTS[fault]
    healthy = {name: f"{value}x{2 * SAMPLES}" for name, value in HEALTHY.items()}
    series = {**healthy, **Fault("", {**STANDSTILL, **one.series}).changed()}

    evaluate(tmp_path, [group(series, [(LASTING, PAGES, [named(one.alert)])])])


@pytest.mark.parametrize("alert", ["HeartbeatLate", "EventsUnpublished"])
def test_a_standstill_without_another_alert_pages(alert, tmp_path):
    healthy = {name: f"{value}x{2 * SAMPLES}" for name, value in HEALTHY.items()}
    series = {**healthy, **Fault("", STANDSTILL).changed()}

    evaluate(tmp_path, [group(series, [(LASTING, firing(alert), [named(alert)])])])


CREATE = 'route="/service/api/v1/lead", method="PUT"'
READ = 'route="/service/api/v1/lead/{customer_id}", method="GET"'
REQUESTS, TOOLS = "vestibule_http_requests_total", "vestibule_tool_calls_total"
REQUEST, TOOL = "vestibule_http_request_duration_seconds", "vestibule_tool_call_duration_seconds"
FIRST = "vestibule_event_first_attempt_seconds"


def answered(metric, labels, good, bad):
    """Return the counters of a metric from the counts of good and of bad calls."""
    return lambda ok, failed: {
        f"{metric}{{{labels}{good}}}": ok,
        f"{metric}{{{labels}{bad}}}": failed,
    }


def timed(metric, limit, labels="", calls=None):
    """Return the counters of a histogram, from the counts of calls within a limit and of others.

    `calls` is the counter of the same calls, if they have one.
    """
    bucket = f'{metric}_bucket{{le="{limit}", {labels}}}'
    totals = [f"{metric}_count{{{labels}}}", *([f"{calls}{{{labels}}}"] if calls else [])]
    return lambda ok, failed: {bucket: ok, **dict.fromkeys(totals, ok + failed)}


SERVICE_LEVELS = {  # the error budget, and the series
    "create-availability": (
        0.001, answered(REQUESTS, CREATE, ', status="201"', ', status="503"')
    ),
    "create-latency": (0.01, timed(REQUEST, 0.5, CREATE, REQUESTS)),
    "read-availability": (
        0.001, answered(REQUESTS, READ, ', status="200"', ', status="500"')
    ),
    "read-latency": (0.01, timed(REQUEST, 0.2, READ, REQUESTS)),
    "tool-availability": (
        0.005, answered(TOOLS, "", 'outcome="ok"', 'outcome="INTERNAL_ERROR"')
    ),
    "tool-latency": (0.01, timed(TOOL, "1.0", calls=TOOLS)),
    "event-first-attempt": (0.01, timed(FIRST, "5.0")),
}  # fmt: skip
BURNS = {  # rates of burning the budget, and the minutes after which the alert fires
    "SloBurnsFast": (14.4, 5),
    "SloBurns": (6, 8),
    "SloBurnsSlowly": (1, 63),
}
MINUTE = 60
CALLS = 10_000  # a minute


def burning(service_level, share, calls=CALLS, minutes=90, then_good=0):
    """Return the series of calls of which a share is bad, and of minutes without bad calls."""
    bad = calls * share
    before = SERVICE_LEVELS[service_level][1](calls - bad, bad)
    after = SERVICE_LEVELS[service_level][1](calls, 0)
    return {
        name: f"0+{rate}x{minutes} {rate * minutes + after[name]}+{after[name]}x{then_good}"
        for name, rate in before.items()
    }


def of_level(alert, service_level):
    labels = f'alertstate="firing", alertname="{alert}", slo="{service_level}"'
    return f"count by (alertname) (ALERTS{{{labels}}})"


def test_each_service_level_is_tested():
    levels = {
        rule["labels"]["slo"]
        for group in RULES["groups"]
        for rule in group["rules"]
        if rule.get("record") == "vestibule:slo_budget"
    }

    assert levels == SERVICE_LEVELS.keys()


@pytest.mark.parametrize("level", SERVICE_LEVELS)
def test_alerts_of_a_service_level_fire_from_their_rate_on(level, tmp_path):
    budget = SERVICE_LEVELS[level][0]
    groups = []
    for alert, (factor, minutes) in BURNS.items():
        expression, at = of_level(alert, level), minutes * MINUTE
        for share, found in ((1.05, [named(alert)]), (0.95, [])):
            series = burning(level, budget * factor * share)
            groups.append(group(series, [(at, expression, found)], MINUTE))

    evaluate(tmp_path, groups, MINUTE)


@pytest.mark.parametrize("level", SERVICE_LEVELS)
def test_pages_of_a_service_level_end_with_their_cause(level, tmp_path):
    budget = SERVICE_LEVELS[level][0]
    groups = []
    for alert, minutes in (("SloBurnsFast", 7), ("SloBurns", 32)):
        series = burning(level, budget * 30, minutes=20, then_good=60)
        expression = of_level(alert, level)
        expected = [
            (20 * MINUTE, expression, [named(alert)]),
            ((20 + minutes) * MINUTE, expression, []),
        ]
        groups.append(group(series, expected, MINUTE))

    evaluate(tmp_path, groups, MINUTE)


@pytest.mark.parametrize("level", SERVICE_LEVELS)
def test_fewer_than_twenty_bad_calls_an_hour_page_nobody(level, tmp_path):
    series = burning(level, share=1, calls=0.3)

    expected = [
        (80 * MINUTE, of_level("SloBurnsFast", level), []),
        (80 * MINUTE, of_level("SloBurns", level), []),
        (80 * MINUTE, of_level("SloBurnsSlowly", level), [named("SloBurnsSlowly")]),
    ]

    evaluate(tmp_path, [group(series, expected, MINUTE)], MINUTE)
