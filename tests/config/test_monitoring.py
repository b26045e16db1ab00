"""The files for Prometheus and Grafana name metrics and pages that exist."""

import json
import re
import shutil
import subprocess

import pytest
import yaml
from django.conf import settings

from config import deployment_metrics, metrics_server
from foundation.metrics import declared  # noqa: F401 - makes the instruments
from foundation.metrics.instruments import Instrument
from tests.e2e.browsing import require

FOLDER = settings.BASE_DIR / "docs" / "monitoring"
RULES = yaml.safe_load((FOLDER / "rules.yml").read_text())
DASHBOARD = (FOLDER / "dashboard.json").read_text()
RUNBOOK = (settings.BASE_DIR / "docs" / "runbook.md").read_text()
ALERTS = {
    rule["alert"]: rule for group in RULES["groups"] for rule in group["rules"] if "alert" in rule
}
METRIC = re.compile(r"\bvestibule_[a-z0-9_]+")
PARTS = ("_bucket", "_count", "_sum")  # of a histogram


def names_in_the_code():
    figures = [*deployment_metrics.FIGURES, *metrics_server.DISK]
    names = {one.name for one in (*Instrument.all, *figures)}
    histograms = {one.name for one in Instrument.all if one.kind == "Histogram"}
    build = f"{metrics_server.BUILD}_info"
    return {*names, build, *(f"{name}{part}" for name in histograms for part in PARTS)}


@pytest.mark.parametrize("text", [json.dumps(RULES), DASHBOARD], ids=["rules", "dashboard"])
def test_each_metric_exists_in_the_code(text):
    assert set(METRIC.findall(text)) <= names_in_the_code()


def test_each_metric_is_on_the_dashboard():
    shown = set(METRIC.findall(DASHBOARD))
    parts = {name.removesuffix(part) for name in shown for part in PARTS if name.endswith(part)}

    wanted = {name for name in names_in_the_code() if not name.endswith(PARTS)}
    assert wanted - shown - parts == {"vestibule_http_request_duration_seconds"} - shown - parts


@pytest.mark.parametrize("alert", sorted(ALERTS))
def test_each_alert_has_its_section_of_the_runbook(alert):
    assert ALERTS[alert]["annotations"]["runbook_url"] == f"docs/runbook.md#{alert.lower()}"
    section = RUNBOOK.split(f"\n### {alert}\n")[1].split("\n### ")[0]
    assert all(part in section for part in ("**Symptom.**", "**Look.**", "**Do.**"))


def test_each_limit_of_a_service_level_is_a_bucket():
    histograms = {one.name: one for one in Instrument.all if one.kind == "Histogram"}
    asked = [rule["expr"] for group in RULES["groups"] for rule in group["rules"]]

    wanted = re.findall(r'(vestibule_\w+)_bucket\{[^}]*le="([\d.]+)"', "".join(asked))

    assert wanted
    assert all(float(limit) in histograms[name].buckets for name, limit in wanted)


def test_prometheus_takes_the_rules():
    promtool = find_promtool()

    done = subprocess.run(
        [promtool, "check", "rules", FOLDER / "rules.yml"],
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stdout + done.stderr


def find_promtool():
    found = shutil.which("promtool")
    return found or require("promtool is not installed: apt-get install prometheus")
