"""Metrics of the service for Prometheus, without keys, addresses and names of records."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from dirframe.errors import ConfigurationError, MissingExtraError
from dirframe.service.web.access_log import logged

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment


#: Key of the WSGI environment for the name of the view that answered.
VIEW = "dirframe.view"


def with_metrics(
    app: WSGIApplication, address: str, counts: Callable[[], Mapping[str, int]]
) -> tuple[WSGIApplication, Callable[[], None]]:
    """Wrap `app` to log and count requests, and publish the counts.

    Parameters
    ----------
    app
        The application, which sets `VIEW`.
    address
        A path of the service, such as ``/metrics``, or ``HOST:PORT`` for a listener of its own.
    counts
        Returns the number of records of each collection.

    Returns
    -------
    tuple
        The application, and a function that stops the listener.

    Raises
    ------
    MissingExtraError
        The package prometheus_client is not installed.
    ConfigurationError
        The address is invalid, or cannot be listened on.
    """
    try:
        import prometheus_client
    except ImportError:
        raise MissingExtraError("prometheus_client", purpose="Metrics for Prometheus") from None
    host, _, port = address.rpartition(":")
    is_path = address.startswith("/")
    if not is_path and not (host and port.isdigit() and int(port) <= 65_535):
        raise ConfigurationError(
            f"Metrics cannot be published at {address!r}; it is a path of the service such as "
            "/metrics, or HOST:PORT such as 127.0.0.1:9100."
        )
    if is_path and address.endswith((".xml", ".json", "/")):
        raise ConfigurationError(
            f"Metrics cannot be published at {address!r}, which is an address of the interface."
        )

    registry = prometheus_client.CollectorRegistry()
    records = prometheus_client.Gauge(
        "dirframe_records", "Records served.", ["collection"], registry=registry
    )
    for name in counts():
        records.labels(name).set_function(partial(lambda name: counts()[name], name))
    requests = prometheus_client.Counter(
        "dirframe_requests", "Requests answered.", ["view", "status"], registry=registry
    )
    seconds = prometheus_client.Histogram(
        "dirframe_request_seconds", "Time to answer.", ["view"], registry=registry
    )
    published: WSGIApplication = prometheus_client.make_wsgi_app(registry)

    def count(environ: WSGIEnvironment, status: str, duration: float) -> None:
        view = environ.get(VIEW) or "none"
        requests.labels(view, status).inc()
        seconds.labels(view).observe(duration)

    counted = logged(app, on_response=count)

    def with_path(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        is_published = environ.get("PATH_INFO") == address
        return (published if is_published else counted)(environ, start_response)

    if is_path:
        return with_path, lambda: None
    try:
        server, thread = prometheus_client.start_http_server(int(port), host, registry)
    except OSError as error:
        raise ConfigurationError(
            f"Metrics cannot be published at {address}: {error.strerror}."
        ) from error

    def stop() -> None:
        server.shutdown()
        server.server_close()
        thread.join()

    return counted, stop
