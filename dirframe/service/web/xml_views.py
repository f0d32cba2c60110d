"""Views as XML and as JSON, each behind the key check."""

from __future__ import annotations

import json
import re
from functools import partial
from html import escape
from typing import TYPE_CHECKING
from urllib.parse import quote

from flask import Response, g, request
from lxml import etree
from werkzeug.exceptions import (
    HTTPException,
    NotFound,
    ServiceUnavailable,
    TooManyRequests,
    default_exceptions,
)

from dirframe.errors import StoreError
from dirframe.schema import ACCOUNT, PROJECT, Resource
from dirframe.service.dialects.json_writer import json_document
from dirframe.service.dialects.record_shapes import shape_fragment
from dirframe.service.dialects.xml_writer import (
    collection_xml,
    failed_xml,
    message_xml,
    single_xml,
)
from dirframe.service.store.ties import page_without_tie_break
from dirframe.service.web.extension_views import AnalysisUnavailable, ExtensionViews
from dirframe.service.web.openapi import openapi_document
from dirframe.service.web.params import request_arguments, requested_page, requested_query
from dirframe.service.web.representation import conditional

if TYPE_CHECKING:
    from collections.abc import Callable

    from flask import Flask

    from dirframe.service.api_keys import KeyStore
    from dirframe.service.dialects.dialects import Refusal, Rules
    from dirframe.service.dialects.states import StatesFile
    from dirframe.service.store.store import Store


NOTHING = "There is nothing at this address."

#: Response while the keys cannot be used; the cause is not disclosed to clients.
_UNCOUNTED = "Requests cannot be counted at the moment. Try again later."
_RETRY_AFTER = 5

_MD5 = re.compile(r"[0-9a-fA-F]{32}")
_DIGITS = re.compile(r"[0-9]+")


def add_views(
    app: Flask, store: Store, keys: KeyStore, rules: Rules, states: StatesFile, *, name: str
) -> dict[str, bool]:
    """Add the XML views and their JSON twins, each behind the key check.

    Returns
    -------
    dict of str to bool
        The endpoints, and whether they answer as JSON.
    """
    endpoints: dict[str, bool] = {}
    views = _Views(store, rules, states)

    def respond(view: Callable[..., bytes | Response], suffix: str, **values: object) -> Response:
        if states.read().maintenance:  # does not count towards the quota
            return _web_page("Down for maintenance", "The directory is back soon.")
        _check_key(keys, rules)
        g.suffix = suffix
        result = view(**values)
        return _respond(result) if isinstance(result, bytes) else result

    def add_xml(
        rule: str,
        endpoint: str,
        view: Callable[..., bytes | Response],
        *,
        suffixes: tuple[str, ...] = ("xml", "json"),
        **defaults: object,
    ) -> None:
        for suffix in suffixes:
            twin, address = (text.removesuffix("xml") + suffix for text in (endpoint, rule))
            app.add_url_rule(address, twin, partial(respond, view, suffix), defaults=defaults)
            endpoints[twin] = suffix == "json"

    if rules.states:
        app.add_url_rule("/accounts/<segment>/disabled", "disabled", _disabled)
    paths = {"account": "/accounts", "project": rules.project_path}
    for resource in (ACCOUNT, PROJECT):
        path, endpoint = paths[resource.name], f"{resource.name}_xml"
        collection = f"{resource.collection}_xml"
        add_xml(f"{path}.xml", collection, views.collection, resource=resource)
        add_xml(f"{path}/<segment>.xml", endpoint, views.single, resource=resource)
        add_xml(f"{path}/.xml", f"no_{endpoint}", views.single, resource=resource, segment="")
    if rules.project_path == "/projects":
        # The path of projects in the live service.
        add_xml("/p/<segment>.xml", "p_xml", views.single, resource=PROJECT)
        add_xml("/p/.xml", "no_p_xml", views.single, resource=PROJECT, segment="")
    else:
        add_xml("/projects.xml", "old_projects_xml", views.moved, rest="")
        add_xml("/projects/<path:rest>.xml", "old_project_xml", views.moved)
    unavailable = message_xml(
        "response", {"status": "error", "message": "Code analysis is not available"}
    )
    app.register_error_handler(AnalysisUnavailable, lambda _: _respond(unavailable))
    extensions = ExtensionViews(store, rules)
    for path in {"/projects", "/p"} if rules.project_path == "/projects" else {rules.project_path}:
        for rest, view in (
            ("contributors", extensions.contributors),
            ("contributors/<identifier>", extensions.contributor),
            ("analyses/<analysis>", extensions.analysis),
            ("analyses/<analysis>/activity_facts", extensions.activity_facts),
            ("analyses/<analysis>/size_facts", extensions.size_facts),
        ):
            endpoint = f"{path.strip('/')}_{view.__name__}_xml"
            add_xml(f"{path}/<segment>/{rest}.xml", endpoint, view)
    add_xml("/languages.xml", "languages_xml", extensions.languages)
    add_xml("/languages/<identifier>.xml", "language_xml", extensions.language)

    def describe() -> Response:
        described = [r for r in app.url_map.iter_rules() if endpoints.get(r.endpoint)]
        document = openapi_document(store, name, described)
        return _send(json.dumps(document).encode(), "application/json")

    add_xml("/openapi.xml", "openapi_xml", describe, suffixes=("json",))
    # The least specific rule matches all other XML paths.
    add_xml("/<path:address>.xml", "no_xml", _not_found)
    return endpoints


class _Views:
    """XML views of a store in one dialect."""

    def __init__(self, store: Store, rules: Rules, states: StatesFile) -> None:
        self.store = store
        self.rules = rules
        self.states = states

    def collection(self, resource: Resource) -> bytes:
        arguments = request_arguments()
        query = requested_query(arguments)
        has_ties = resource is PROJECT and not self.rules.tie_break
        get_page = partial(page_without_tie_break, self.store) if has_ties else self.store.page
        page = get_page(
            resource,
            query=query,
            sort=self._sort(resource, arguments.get("sort")),
            page=requested_page(arguments, lenient=self.rules.lenient),
            page_size=self.rules.page_size[resource.name],
        )
        fragments = [self._shape(resource, xml, in_collection=True) for xml in page.fragments]
        return collection_xml(
            fragments,
            available=page.available,
            first=page.first,
            synthetic=self.store.synthetic,
            empty_result=self.rules.empty_result,
        )

    def single(self, resource: Resource, segment: str) -> bytes | Response:
        fragment = self._find(resource, segment)
        if fragment is None:
            raise NotFound(f"There is no such {resource.name}.")
        if (response := self._out_of_use(resource, fragment)) is not None:
            return response
        if self.rules.analysis_required and resource is PROJECT and not _analysed(fragment):
            content = {"error": "There is no analysis of this project to show."}
            return message_xml("response", content)
        shaped = self._shape(resource, fragment, in_collection=False)
        return single_xml(shaped, synthetic=self.store.synthetic)

    def _out_of_use(self, resource: Resource, fragment: str) -> bytes | Response | None:
        """Return the response for a deleted or disabled record, else None."""
        states = self.states.read()
        if not states.out_of_use:
            return None
        identifier = etree.fromstring(fragment).findtext("id") or ""
        if resource is PROJECT and identifier in states.deleted_projects:
            return failed_xml("This project has been deleted.")
        if resource is ACCOUNT and identifier in states.disabled_accounts:
            address = f"{request.script_root}/accounts/{quote(identifier, safe='')}/disabled"
            return Response(status=302, headers={"Location": address})
        return None

    def moved(self, rest: str) -> Response:
        """Redirect to the other path, with the parameters and so the key."""
        path = f"{self.rules.project_path}{'/' if rest else ''}{quote(rest)}.{g.suffix}"
        address = f"{request.script_root}{path}?{request.environ.get('QUERY_STRING', '')}"
        return Response(status=302, headers={"Location": address})

    def _find(self, resource: Resource, segment: str) -> str | None:
        fragment = self.store.by_segment(resource, segment)
        if fragment is None and resource is ACCOUNT and _MD5.fullmatch(segment):
            fragment = self.store.by_email_md5(segment)
            digits = _DIGITS.match(segment)
            if fragment is None and self.rules.md5_prefix and digits:
                fragment = self.store.by_id(resource, str(int(digits[0])))
        return fragment

    def _sort(self, resource: Resource, sort: str | None) -> str | None:
        known = self.store.sorts(resource)
        if resource.name not in self.rules.sorted_resources:
            return None
        return None if self.rules.lenient and sort not in known else sort

    def _shape(self, resource: Resource, fragment: str, *, in_collection: bool) -> str:
        return shape_fragment(self.rules, resource, fragment, in_collection=in_collection)


def _analysed(fragment: str) -> bool:
    return etree.fromstring(fragment).find("analysis") is not None


def _disabled(segment: str) -> Response:
    return _web_page("Account disabled", f"The account {segment[:50]} is disabled.")


def _web_page(title: str, text: str) -> Response:
    title, text = escape(title), escape(text)
    page = f"<!DOCTYPE html>\n<html><head><title>{title}</title></head><body>{text}</body></html>\n"
    return Response(page, mimetype="text/html")


def _not_found(address: str) -> Response:  # noqa: ARG001  # Flask names it
    raise NotFound(NOTHING)


def _check_key(keys: KeyStore, rules: Rules) -> None:
    key = request_arguments().get("api_key", "")
    try:
        decision = keys.charge(key)
    except StoreError as error:
        raise ServiceUnavailable(_UNCOUNTED, retry_after=_RETRY_AFTER) from error
    if not decision.known:
        raise _refusal_error(rules.unknown_key if key else rules.missing_key)
    if not decision.allowed:
        wait = decision.retry_after
        raise _refusal_error(rules.over_limit, limit=decision.limit, wait=wait)


def _refusal_error(refusal: Refusal, *, limit: int = 0, wait: int = 0) -> HTTPException:
    text = refusal.text.format(limit=limit, wait=wait)
    if refusal.status == TooManyRequests.code:
        return TooManyRequests(text, retry_after=wait)
    return default_exceptions[refusal.status](text)


def _respond(body: bytes) -> Response:
    if g.suffix == "json":
        return _send(json_document(body), "application/json")
    return _send(body, "application/xml")


def _send(body: bytes, mimetype: str) -> Response:
    response = conditional(body, request, mimetype=mimetype)
    # Responses depend on the key: private caches only, with revalidation.
    response.headers["Cache-Control"] = "private, no-cache"
    return response
