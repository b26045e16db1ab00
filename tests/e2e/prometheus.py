"""A real Prometheus with the rules that are shipped."""

import json
import os
import shutil
import subprocess
import urllib.request
from functools import partial

from django.conf import settings

from config import processes
from tests.e2e.browsing import require
from tests.e2e.serving import free_port

RULES = settings.BASE_DIR / "docs" / "monitoring" / "rules.yml"


class Prometheus:
    """Scrapes the programs each second and evaluates the rules as often."""

    def __init__(self, folder, ports):
        self.port = free_port()
        (folder / "prometheus.yml").write_text(json.dumps(self._configuration(ports)))
        program = shutil.which("prometheus") or require("prometheus is not installed")
        self.process = subprocess.Popen(
            [
                program,
                f"--config.file={folder / 'prometheus.yml'}",
                f"--storage.tsdb.path={folder / 'data'}",
                f"--web.listen-address=127.0.0.1:{self.port}",
                "--log.level=error",
            ],
            preexec_fn=partial(processes.end_with, os.getpid()),
        )

    def _configuration(self, ports):
        kinds = {"web": ("web1", "web2"), "worker": ("worker1", "worker2"), "beat": ("beat",)}
        return {
            "global": {
                "scrape_interval": "2s",
                "scrape_timeout": "2s",
                "evaluation_interval": "1s",
            },
            "rule_files": [str(RULES)],
            "scrape_configs": [
                {
                    "job_name": f"vestibule-{kind}",
                    "static_configs": [{"targets": [f"127.0.0.1:{ports[name]}" for name in names]}],
                }
                for kind, names in kinds.items()
            ],
        }

    def ask(self, path):
        url = f"http://127.0.0.1:{self.port}/api/v1/{path}"
        try:
            with urllib.request.urlopen(url) as answer:
                return json.load(answer)["data"]
        except OSError:
            return {}

    def firing(self):
        """Return the names and severities of the alerts that fire."""
        alerts = self.ask("alerts").get("alerts", [])
        return {
            one["labels"]["alertname"]: one["labels"]["severity"]
            for one in alerts
            if one["state"] == "firing"
        }

    def stop(self):
        self.process.kill()
        self.process.wait()
