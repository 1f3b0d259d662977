# SPDX-License-Identifier: Apache-2.0
"""A fake OTLP collector: keeps the points of every request it reads."""

import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
)


class Collector:
    def __init__(self, delay_s: float = 0, answers: bool = True) -> None:
        self.requests: list[ExportMetricsServiceRequest] = []
        self.arrived = threading.Condition()
        collector = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                with collector.arrived:
                    if self.path == "/v1/metrics":
                        collector.requests.append(ExportMetricsServiceRequest.FromString(body))
                    collector.arrived.notify_all()
                if not answers:
                    collector._closed.wait()
                    return
                time.sleep(delay_s)
                self.send_response(200)
                self.send_header("Content-Type", "application/x-protobuf")
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *args: Any) -> None: ...

        self._closed = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def variables(self, interval_ms: int = 60000) -> dict[str, str]:
        return {
            "NEMO_GYM_OTEL_ENABLED": "1",
            "NEMO_GYM_OTEL_SPAN_GROUPS": "all",
            "NEMO_GYM_OTEL_TRACES_ENABLED": "0",
            "OTEL_EXPORTER_OTLP_ENDPOINT": self.url,
            "OTEL_METRIC_EXPORT_INTERVAL": str(interval_ms),
        }

    def close(self) -> None:
        self._closed.set()
        self._server.shutdown()
        self._server.server_close()

    def last_values(self) -> dict[tuple[str, str, frozenset], float]:
        """The last value of every series (a histogram's count), by instance and instrument."""
        values: dict[tuple[str, str, frozenset], float] = {}
        for request in self.requests:
            for resource in request.resource_metrics:
                instance = next(
                    (
                        a.value.string_value
                        for a in resource.resource.attributes
                        if a.key == "service.instance.id"
                    ),
                    "",
                )
                for scope in resource.scope_metrics:
                    for metric in scope.metrics:
                        _take(values, instance, metric)
        return values

    def total(self, instrument: str) -> float:
        return sum(v for (_, name, _), v in self.last_values().items() if name == instrument)

    def identities(self) -> set[str]:
        return {instance for instance, _, _ in self.last_values()}

    def names(self) -> set[str]:
        return {name for _, name, _ in self.last_values() if not name.startswith("gym.telemetry")}


def _take(values: dict, instance: str, metric: Any) -> None:
    data = getattr(metric, metric.WhichOneof("data"))
    for point in data.data_points:
        attributes = frozenset((a.key, a.value.string_value) for a in point.attributes)
        if hasattr(point, "count"):
            value = point.count
        else:
            value = getattr(point, point.WhichOneof("value"))
        values[instance, metric.name, attributes] = value
