"""A collector of OpenTelemetry: a server that takes spans by OTLP over HTTP."""

import threading
from collections import defaultdict
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest


class Collector:
    """A receiver of OTLP over HTTP. `spans` are dicts with service, name, ids and attributes."""

    def __init__(self):
        self.spans = []
        collector = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                collector.take(ExportTraceServiceRequest.FromString(body))
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_values):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server.server_port}"

    def take(self, request):
        for sent in request.resource_spans:
            resource = {one.key: one.value.string_value for one in sent.resource.attributes}
            for scope in sent.scope_spans:
                for span in scope.spans:
                    values = {one.key: str(one.value) for one in span.attributes}
                    self.spans.append(
                        {
                            "service": resource["service.name"],
                            "name": span.name,
                            "trace": span.trace_id.hex(),
                            "span": span.span_id.hex(),
                            "parent": span.parent_span_id.hex(),
                            "values": values,
                        }
                    )

    def of(self, trace):
        """Return the spans of a trace by their names."""
        found = defaultdict(list)
        for span in list(self.spans):
            if span["trace"] == trace:
                found[span["name"]].append(span)
        return found

    def stop(self):
        self.server.shutdown()
        self.server.server_close()
