"""Attach the provenance of a load to its frame."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dirframe import provenance

if TYPE_CHECKING:
    import pandas as pd

    from dirframe.client.http.client import FetchedPage
    from dirframe.schema import Resource
    from dirframe.settings import Settings


def attach_load_provenance(
    frame: pd.DataFrame,
    settings: Settings,
    resource: Resource,
    pages: list[FetchedPage],
    *,
    requests_without_answer: int = 0,
    **facts: Any,
) -> pd.DataFrame:
    """Record the source, time and cost of a frame in its attributes.

    Parameters
    ----------
    frame
        Modified in place; only its attributes change.
    settings
        Settings of the queried directory.
    resource
        Resource of the records.
    pages
        The pages that the frame was made of.
    requests_without_answer
        Requests that were charged but returned no document.
    **facts
        More fields of `dirframe.provenance.Provenance`.

    Returns
    -------
    pandas.DataFrame
        The same frame.
    """
    times = [page.retrieved.isoformat(timespec="seconds") for page in pages]
    return provenance.set_provenance(
        frame,
        source=settings.name,
        base_url=settings.base_url,
        resource=resource.name,
        items_loaded=len(frame),
        retrieved_oldest=min(times, default=None),
        retrieved_newest=max(times, default=None),
        requests_made=sum(page.attempts for page in pages) + requests_without_answer,
        requests_cached=sum(page.from_cache for page in pages),
        **facts,
    )
