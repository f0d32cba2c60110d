"""Parse a page into its envelope and its records."""

# The parser accepts the specification's envelope and all that services of this kind have sent since
# 2007: elements in any order, unknown elements and attributes, repeated elements, error bodies
# without an envelope. It takes bytes and never fetches; entities, external documents and network
# access are disabled.

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lxml import etree

from dirframe.client.xml.envelope import find_result, read_envelope
from dirframe.client.xml.fast.scan import TagScan, scan_tags
from dirframe.client.xml.flatten import local_name
from dirframe.client.xml.sniff import raise_unreadable, sniff_content
from dirframe.errors import UnreadableResponseError

if TYPE_CHECKING:
    from dirframe.client.xml.envelope import Envelope


#: Default maximum size of a document. Parsing takes about six times its size in memory.
MAX_BYTES = 64 * 1024 * 1024

_ROOTS = ("response", "error", "result")
_PLAIN_NAME = re.compile(r"[\w.-]+")

#: libxml2 refuses longer texts, but only when it builds a tree.
_LONGEST_TEXT = 10_000_000


@dataclass(frozen=True, slots=True)
class Page:
    """A parsed document.

    Parameters
    ----------
    envelope
        Its envelope.
    records
        Its records: a scan of the tags of a usual page, the result element of any other one;
        None if there are none.
    record_name
        The element name of the records; None if there are none.
    source
        Its name in error messages.
    """

    envelope: Envelope
    records: TagScan | etree._Element | None
    record_name: str | None
    source: str | None


class PageParser:
    """Parse documents, each once.

    Usual documents are checked without a tree and scanned for their tags
    (`dirframe.client.xml.fast.scan`); for all others, the tree is built.

    Parameters
    ----------
    max_bytes
        Maximum size of a document.

    Examples
    --------
    >>> from dirframe.client.xml.parser import PageParser
    >>> page = PageParser().parse(
    ...     b"<response><status>success</status>"
    ...     b"<result><project><id>1</id></project></result></response>"
    ... )
    >>> page.envelope.records, page.record_name
    (1, 'project')
    """

    def __init__(self, *, max_bytes: int = MAX_BYTES) -> None:
        self._max_bytes = max_bytes
        self._parser = etree.XMLParser(
            remove_blank_text=True,
            remove_comments=True,
            remove_pis=True,
            collect_ids=False,
            resolve_entities=False,
            load_dtd=False,
            no_network=True,
            huge_tree=False,
        )
        # Builds no tree, which saves more than half of the time; it only checks well-formedness.
        self._checker = etree.XMLParser(
            target=_NoTree(),  # type: ignore[arg-type]  # all methods of a target are optional
            resolve_entities=False,
            load_dtd=False,
            no_network=True,
        )

    def parse(
        self, content: bytes, *, source: str | None = None, record_name: str | None = None
    ) -> Page:
        """Parse one document.

        Parameters
        ----------
        content
            The document.
        source
            Its name in error messages: a URL without a key, or a file.
        record_name
            The expected element name of its records; None for any.

        Returns
        -------
        Page
            The parsed document, also if it reports a failure.

        Raises
        ------
        UnreadableResponseError
            If the document is not the interface's XML, or holds records of several names.
        """
        if len(content) > self._max_bytes:
            size = f"{len(content):,} bytes long, more than the {self._max_bytes:,} allowed"
            raise_unreadable(size, source)
        page = self._parse_usual(content, source)
        if page is None:
            page = self._parse_tree(content, source, record_name)
        check_records(page, record_name)
        return page

    def tree(self, scan: TagScan) -> etree._Element:
        """Return the result element of a scanned page."""
        result = find_result(self._root(scan.content, None))
        assert result is not None  # noqa: S101  # a scanned page has a result
        return result

    def _parse_usual(self, content: bytes, source: str | None) -> Page | None:
        """Parse a usual document; None if the tree is needed, be it for the error message."""
        if len(content) > _LONGEST_TEXT:
            return None
        try:
            etree.fromstring(content, self._checker)
            # A parser that builds no tree reports namespace errors only in its log.
            scan = None if self._checker.error_log else scan_tags(content)
            if scan is None:
                return None
            root = self._root(scan.shell, None)
        except (etree.XMLSyntaxError, UnreadableResponseError):
            return None
        if find_result(root) is None or any(len(child) for child in root):
            return None  # the result is another element
        [name, *others] = scan.names()
        if others or not _PLAIN_NAME.fullmatch(name):
            return None
        return Page(read_envelope(root, content, len(scan)), scan, name, source)

    def _parse_tree(self, content: bytes, source: str | None, record_name: str | None) -> Page:
        root = self._root(content, source)
        result = find_result(root)
        if result is None or not len(result):
            return Page(read_envelope(root, content, 0), None, None, source)
        names = list(dict.fromkeys(local_name(record) for record in result))
        expected = record_name or names[0]
        others = set(names) - {expected}
        if others:
            _raise_other_records(expected, others, source)
        return Page(read_envelope(root, content, len(result)), result, names[0], source)

    def _root(self, content: bytes, source: str | None) -> etree._Element:
        try:
            root = etree.fromstring(content, self._parser)
        except (etree.XMLSyntaxError, ValueError) as error:
            raise_unreadable(sniff_content(content), source, reason=str(error))
        if root.getroottree().docinfo.internalDTD is not None:
            raise_unreadable(sniff_content(content), source)
        name = local_name(root)
        if name not in _ROOTS:
            is_html = name.lower() == "html"
            found = "an HTML page" if is_html else f"an XML document with the root <{name}>"
            raise_unreadable(found, source)
        if sum(local_name(child) == "result" for child in root) > 1:
            raise_unreadable("a response with more than one <result>", source)
        return root


def check_records(page: Page, record_name: str | None) -> None:
    """Raise if the records of a page have another name.

    Parameters
    ----------
    page
        The page.
    record_name
        The expected element name of its records; None for any.

    Raises
    ------
    UnreadableResponseError
        If they have another name.
    """
    if record_name is not None and page.record_name not in {None, record_name}:
        _raise_other_records(record_name, {str(page.record_name)}, page.source)


def _raise_other_records(expected: str, others: set[str], source: str | None) -> None:
    names = ", ".join(f"<{other}>" for other in sorted(others))
    raise UnreadableResponseError(
        f"{source or 'The document'} should hold <{expected}> records alone, but it holds {names}.",
        found=names,
        source=source,
    )


class _NoTree:
    """A parser target that ignores the document."""

    def close(self) -> None:
        """Return nothing."""
