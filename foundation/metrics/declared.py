"""The metrics of each process, by name. The state of the deployment is in `config.status`.

They are part of the interface for operators: dashboards and alerts use the names.
"""

from foundation.metrics.instruments import FAILED, LONG, OK, Counter, Gauge, Histogram

HTTP_REQUESTS = Counter(
    "vestibule_http_requests_total",
    "Requests by route pattern, method and status.",
    labels=["route", "method", "status"],
)
HTTP_REQUEST_DURATION = Histogram(
    "vestibule_http_request_duration_seconds",
    "From the end of the request's body to the response, with the wait for a thread.",
    labels=["route", "method"],
)
TOOL_CALLS = Counter(
    "vestibule_tool_calls_total",
    "Tool calls by tool and outcome: ok, an error code, or failed without a database.",
    labels=["tool", "outcome"],
)
TOOL_CALL_DURATION = Histogram(
    "vestibule_tool_call_duration_seconds", "Duration of tool calls.", labels=["tool"]
)
LIMIT_REFUSALS = Counter(
    "vestibule_limit_refusals_total",
    "Calls that a rate limit refused, by limit.",
    labels=["limit"],
)
WEBHOOK_ATTEMPTS = Counter(
    "vestibule_webhook_attempts_total",
    "Webhook messages sent, by outcome: delivered, refused by an HTTP status, or unreachable.",
    labels=["outcome"],
    known=[("delivered",), ("refused",), ("unreachable",)],
)
WEBHOOK_ATTEMPT_DURATION = Histogram(
    "vestibule_webhook_attempt_duration_seconds",
    "From the start of sending a webhook message to the response or the failure.",
)
EVENT_FIRST_ATTEMPT = Histogram(
    "vestibule_event_first_attempt_seconds",
    "From an event to the first attempt to send it to a webhook.",
    buckets=(0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 300.0, 1800.0),
)
MAILS = Counter(
    "vestibule_mails_total",
    "Mails by outcome: ok, or failed.",
    labels=["outcome"],
    known=[(OK,), (FAILED,)],
)
MAIL_SEND_DURATION = Histogram(
    "vestibule_mail_send_duration_seconds", "Duration of handing a mail to the mail server."
)
STORE_OPERATIONS = Counter(
    "vestibule_store_operations_total",
    "Operations of the file stores, by outcome: ok, missing (no such file), or failed.",
    labels=["operation", "outcome"],
    known=[(name, outcome) for name in ("open", "save", "delete") for outcome in (OK, FAILED)],
)
STORE_OPERATION_DURATION = Histogram(
    "vestibule_store_operation_duration_seconds",
    "Duration of operations of the file stores.",
    labels=["operation"],
)
BROKER_PUBLISHES = Counter(
    "vestibule_broker_publishes_total",
    "Messages sent to the broker, by outcome: ok, or failed.",
    labels=["outcome"],
    known=[(OK,), (FAILED,)],
)
BROKER_PUBLISH_DURATION = Histogram(
    "vestibule_broker_publish_duration_seconds", "Duration of sending a message to the broker."
)
JOBS = Counter(
    "vestibule_jobs_total",
    "Runs of jobs by kind and outcome: ok, incomplete, failed, retried later, or lost.",
    labels=["kind", "outcome"],
)
JOB_DURATION = Histogram(
    "vestibule_job_duration_seconds", "Duration of runs of jobs.", labels=["kind"], buckets=LONG
)
THREADS = Gauge("vestibule_threads", "Threads that handle requests (web) or tasks (worker).")
THREADS_BUSY = Gauge("vestibule_threads_busy", "Threads that handle a request or a task now.")
DATABASE_CONNECTIONS = Gauge("vestibule_database_connections", "Open database connections.")
REPLICA_LAG = Gauge(
    "vestibule_replica_lag_seconds",
    "How far the replica is behind, of web; +Inf while it cannot be read, 0 without a replica.",
    merge="livemax",
)
REPLICA_LEFT_OUT = Gauge(
    "vestibule_replica_left_out",
    "1 if a process of web reads nothing from the replica, since it is late or away, else 0.",
    merge="livemax",
)
