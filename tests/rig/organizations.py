"""The collections of an organization as today's live service has them: one element around records."""

from xml.sax.saxutils import escape

from tests.rig.server import Reply, failed, page_xml

#: Records on a page of each list.
SIZES = {
    "projects": 20,
    "outside_projects": 20,
    "affiliated_committers": 10,
    "outside_committers": 10,
}
#: The element around the records, and that of each record.
ELEMENTS = {
    "projects": ("portfolio_projects", "project"),
    "outside_projects": ("outside_projects", "project"),
    "affiliated_committers": ("affiliated_committers", "affiliator"),
    "outside_committers": ("outside_committers", "contributor"),
}
PEOPLE = {"affiliated_committers", "outside_committers"}
WEB_PAGE = Reply(b"<!DOCTYPE html><title>Acme</title>", 200, {"Content-Type": "text/html"})
CHANGE = "twelve_mo_activity_and_year_on_year_change"


def element(tag, **fields):
    """Write an element with texts, or with XML where a text begins with <."""
    texts = [
        str(text) if str(text).startswith("<") else escape(str(text)) for text in fields.values()
    ]
    inner = "".join(f"<{n}>{t}</{n}>" for n, t in zip(fields, texts, strict=True))
    return f"<{tag}>{inner}</{tag}>"


def portfolio_project(number, *, identifier=False):
    """Write a project of a portfolio, every second one with fewer commits than the year before."""
    change = (
        element(
            CHANGE,
            commits=10 * number,
            change_in_commits=-number if number % 2 else number,
            percentage_change_in_commits=f"{number}.5%",
            contributors=number,
            change_in_contributors=0,
        )
        .removeprefix(f"<{CHANGE}>")
        .removesuffix(f"</{CHANGE}>")
    )
    return element(
        "project",
        **({"id": number} if identifier else {}),
        name=f"Project {number:03d}",
        activity="High",
        primary_language="N/A" if number % 5 == 0 else "C",
        i_use_this=f"1,{number:03d}",
        community_rating="N/A" if number % 5 == 0 else "4.5",
        **{CHANGE: change},
    )


def person(number, kind):
    """Write somebody who belongs to an organization, or who committed to its projects."""
    facts = {"name": f"Person {number:03d}", "kudos": 5, "level": 0}
    if kind == "affiliator":
        facts["most_commits"] = f"<project>Project 001</project><commits>{number}</commits>"
        facts["most_recent_commit"] = "<project>N/A</project><date>2026-01-02T03:04:05Z</date>"
    else:
        facts["affiliated_with"] = "Unaffiliated"
        facts["contributions_to_portfolio_projects"] = (
            f"<projects>Project 001, Project 002</projects><twelve_mo_commits>{number}</twelve_mo_commits>"
        )
    return element(kind, **facts)


def outside_project(number):
    """Write a project outside an organization to which its people committed."""
    return element(
        "project",
        name=f"Outside {number:03d}",
        activity="Low",
        claimed_by="N/A",
        i_use_this=3,
        community_rating="3.0",
        affiliates_contributing=2,
        commits_by_current_affiliates=number,
    )


class Organizations:
    """Answers requests for the lists of organizations: `counts` records of each list of each.

    A page of the projects past the end redirects to the page for people; other lists send an empty
    one. `omitted` are the places of people without statistics, who are counted but not sent.
    """

    def __init__(self, counts, *, identifiers=False, omitted=(), returned=None):
        self.counts, self.identifiers = counts, identifiers
        self.omitted, self.returned = set(omitted), returned
        self.redirects = {"projects"}  # lists that redirect past their end

    def __call__(self, request):
        parts = request.path.removesuffix(".xml").strip("/").split("/")
        if parts[0] != "orgs" or len(parts) < 2 or parts[1] not in self.counts:
            return Reply(failed("Not found."), 404)
        if len(parts) == 2:
            return WEB_PAGE
        name, kind = parts[1:]
        count = self.counts[name]
        size = SIZES[kind]
        first = (request.page - 1) * size
        if first >= count and kind in self.redirects:
            return Reply(b"", 302, {"Location": f"/orgs/{name}"})
        numbers = range(first + 1, min(first + size, count) + 1)
        return page_xml_of(kind, [n for n in numbers if n not in self.omitted], self, count, first)


def page_xml_of(kind, numbers, organizations, count, first):
    """Return a page of a list of an organization."""
    wrapper, tag = ELEMENTS[kind]
    if kind == "projects":
        records = [portfolio_project(n, identifier=organizations.identifiers) for n in numbers]
    elif kind == "outside_projects":
        records = [outside_project(n) for n in numbers]
    else:
        records = [person(n, tag) for n in numbers]
    address = "<detailed_page_url>/orgs/acme</detailed_page_url>" if kind in PEOPLE else ""
    wrapped = f"<{wrapper}>{''.join(records)}{address}</{wrapper}>"
    page = page_xml([wrapped], available=count, first=first).decode()
    returned = len(records) if organizations.returned is None else organizations.returned
    return page.replace("<items_returned>1<", f"<items_returned>{returned}<").encode()
