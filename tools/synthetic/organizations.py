"""Generate organizations with their projects and people, and the repositories of projects."""

# They belong to the projects and accounts of the sample, and none of these changes by them. Figures of
# projects are those of their analyses and histories; which project and account belongs to which
# organization, the addresses of repositories and their number are chosen, not measured.

from __future__ import annotations

import gzip
from collections import Counter
from typing import TYPE_CHECKING, Any

from dirframe.schema import ALL_RESOURCES, COLLECTIONS
from dirframe.service.xml import result_xml
from tools.synthetic._time import DAY, SNAPSHOT, stamp
from tools.synthetic.distributions import Draw, pick, record_random
from tools.synthetic.generate import record_xml
from tools.synthetic.history import History

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from dirframe.schema import Resource

_STREAM = 3
_CHANGE = "twelve_mo_activity_and_year_on_year_change"
_SITE = "http://directory.invalid"

#: Short name, name, kind, and number of projects.
_ORGANIZATIONS = (
    ("harbour", "Harbour Foundation", "Non-Profit", 7),
    ("lantern", "Lantern Institute", "Education", 20),
    ("meridian", "Meridian Systems", "Commercial", 45),
    ("orchard", "Orchard Agency", "Government", 12),
    ("quarry", "Quarry Cooperative", "Non-Profit", 1),
    ("vacant", "Vacant Society", "Non-Profit", 0),
)
#: The organization that has the projects with histories, as far as nothing else has their name.
_WITH_HISTORIES = "lantern"
_PEOPLE = (4, 45)  # fewest and most who belong to an organization
_OUTSIDE_PROJECTS = 24  # most
#: Repositories of some projects: more than a page holds.
_MANY_REPOSITORIES = 12
#: People of one organization who have positions, kudos and projects that they manage.
_WITH_LISTS = 20
_TITLES = ("Maintainer", "Developer", "Translator", "Release manager")
_ACTIVITIES = ((100, "Very High"), (25, "High"), (8, "Moderate"), (2, "Low"), (1, "Very Low"))
#: Templates of addresses, by the system that keeps the source code.
_ADDRESSES = (
    ("GitRepository", "git://github.com/{owner}/{name}.git"),
    ("GitRepository", "https://github.com/{owner}/{name}"),
    ("GitRepository", "git://github.com/{owner}/{name}"),
    ("GitRepository", "https://gitlab.com/{owner}/{name}.git"),
    ("GitRepository", "git://git.savannah.gnu.org/{name}.git"),
    ("GitRepository", "git://git.code.sf.net/p/{name}/code"),
    ("GitRepository", "git://git.{name}.invalid/{name}.git"),
    ("HgRepository", "https://bitbucket.org/{owner}/{name}"),
    ("SvnSyncRepository", "https://svn.{name}.invalid/repos/{name}/trunk"),
    ("CvsRepository", ":pserver:anonymous@cvs.{name}.invalid:/cvsroot/{name}"),
)


def write_organizations(
    folder: Path, projects: Sequence[dict[str, Any]], accounts: Sequence[dict[str, Any]]
) -> None:
    """Write organizations of the projects and accounts of a directory, and all repositories."""
    portfolios = _portfolios(projects)
    organizations = []
    members = _members(accounts)
    for index, (short, name, kind, _) in enumerate(_ORGANIZATIONS):
        draw = record_random(_STREAM, index).random
        own = portfolios[short]
        others: list[dict[str, Any]] = []
        for owner, portfolio in portfolios.items():
            if owner != short:
                others += portfolio
        people = members[index] if own else []
        lists = _lists(own, others, people, draw)
        record = _organization(short, name, kind, draw)
        counts = {"projects_count": len(own), "affiliated_committers": len(people)}
        organizations.append(record | {key: str(number) for key, number in counts.items()})
        for collection, records in lists.items():
            resource = ALL_RESOURCES[collection]
            _write(folder, resource.paths[0].format(org=short), resource, records)
        details = {"infographic_details": _infographic(lists)}
        _write(folder, f"/orgs/{short}.xml", ALL_RESOURCES["org"], [record | details])
    _write(folder, "/orgs.xml", ALL_RESOURCES["org"], organizations)
    repositories = [one for project in projects for one in _enlistments(project)]
    _write(folder, "/enlistments.xml", ALL_RESOURCES["enlistment"], repositories)
    names = [short for short, _, _, _ in _ORGANIZATIONS]
    index = names.index(_WITH_HISTORIES)
    organization = _ORGANIZATIONS[index][1]
    _write_lists_of(folder, members[index][:_WITH_LISTS], portfolios[_WITH_HISTORIES], organization)


def _portfolios(projects: Sequence[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """Return the projects of each organization, most users first: those whose names are unique."""
    names = Counter(project["name"].casefold() for project in projects)
    plain = [
        project
        for project in projects
        if names[project["name"].casefold()] == 1
        and project["name"].isascii()
        and project["name"].replace(" ", "").isalpha()
        and len(project["name"]) > 2  # shorter ones are in many others
        and project.get("analysis", {}).get("min_month")
    ]
    documented = [
        project
        for project in sorted(projects, key=_contributors, reverse=True)[:20]
        if names[project["name"].casefold()] == 1
    ]
    free = iter([project for project in plain if project not in documented][::7])
    portfolios: dict[str, list[dict[str, Any]]] = {}
    for short, _, _, count in _ORGANIZATIONS:
        chosen = list(documented) if short == _WITH_HISTORIES else []
        chosen += [next(free) for _ in range(count - len(chosen))]
        portfolios[short] = sorted(chosen, key=_by_users)
    return portfolios


def _by_users(project: dict[str, Any]) -> tuple[int, str]:
    """Return what sorts projects by their users, most first, then by name."""
    return -int(project["stack_count"]), project["name"]


def _contributors(project: dict[str, Any]) -> int:
    return int(project.get("analysis", {}).get("twelve_month_contributor_count", 0))


def _members(accounts: Sequence[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """Return the accounts of each organization: every account belongs to one at most."""
    fewest, most = _PEOPLE
    names = Counter(account["name"] for account in accounts)
    free = iter([account for account in accounts if names[account["name"]] == 1][::5])
    step = (most - fewest) // max(len(_ORGANIZATIONS) - 1, 1)
    return [
        [next(free) for _ in range(most - index * step)] for index in range(len(_ORGANIZATIONS))
    ]


def _lists(
    own: Sequence[dict[str, Any]],
    others: Sequence[dict[str, Any]],
    people: Sequence[dict[str, Any]],
    draw: Draw,
) -> dict[str, list[dict[str, Any]]]:
    """Return the four lists of an organization."""
    if not own:
        return {name: [] for name in _LISTS}
    outside = [project for project in others if draw() < 0.4][:_OUTSIDE_PROJECTS]
    return {
        "portfolio_project": [_portfolio_project(project) for project in own],
        "outside_project": [_outside_project(project, draw) for project in outside],
        "affiliated_committer": [_affiliator(person, own, draw) for person in people],
        "outside_committer": _outside_committers(own, draw),
    }


_LISTS = ("portfolio_project", "outside_project", "affiliated_committer", "outside_committer")


def _organization(short: str, name: str, kind: str, draw: Draw) -> dict[str, Any]:
    created = SNAPSHOT - int((200 + 1500 * draw()) * DAY)
    updated = created + int((SNAPSHOT - created) * draw())
    return {
        "name": name,
        "url": f"{_SITE}/orgs/{short}.xml",
        "html_url": f"{_SITE}/orgs/{short}",
        "created_at": stamp(created),
        "updated_at": stamp(updated),
        "description": f"{name}, which does not exist, looks after projects of the sample.",
        "homepage_url": f"https://{short}.example.org",
        "url_name": short,
        "vanity_url": short,
        "type": kind,
    }


def _infographic(lists: dict[str, list[dict[str, Any]]]) -> dict[str, str]:
    """Return the counts of a single organization, as far as its lists show them."""
    outside = "contributions_to_portfolio_projects"
    commits = sum(int(one[outside]["twelve_mo_commits"]) for one in lists["outside_committer"])
    names = {
        name for one in lists["outside_committer"] for name in one[outside]["projects"].split(", ")
    }
    affiliated = lists["affiliated_committer"]
    own_commits = sum(int(one["most_commits"]["commits"]) for one in affiliated)
    elsewhere = lists["outside_project"]
    numbers = {
        "outside_committers": len(lists["outside_committer"]),
        "outside_committers_commits": commits,
        "projects_having_outside_commits": len(names),
        "portfolio_projects": len(lists["portfolio_project"]),
        "affiliators": len(affiliated),
        "affiliators_committing_to_portfolio_projects": len(affiliated),
        "affiliator_commits_to_portfolio_projects": own_commits,
        "affiliators_commiting_projects": len(
            {one["most_commits"]["project"] for one in affiliated}
        ),
        "outside_projects": len(elsewhere),
        "outside_projects_commits": sum(int(p["commits_by_current_affiliates"]) for p in elsewhere),
        "affiliators_committing_to_outside_projects": len(affiliated) // 2 if elsewhere else 0,
    }
    return {name: str(number) for name, number in numbers.items()}


def _facts(project: dict[str, Any]) -> dict[str, Any]:
    """Return what lists of organizations say of a project first."""
    people = _contributors(project)
    words = (word for least, word in _ACTIVITIES if people >= least)
    return {
        "name": project["name"],
        "activity": next(words, "Inactive"),
    }


def _opinions(project: dict[str, Any]) -> dict[str, Any]:
    return {
        "i_use_this": project["stack_count"],
        "community_rating": project["average_rating"] or "N/A",
    }


def _portfolio_project(project: dict[str, Any]) -> dict[str, Any]:
    commits, people, commits_before, people_before = History(project).two_years()
    people = _contributors(project)
    language = project["analysis"]["main_language_name"] or "N/A"
    change = _with_percentage("commits", "commits", commits, commits_before)
    change |= _with_percentage("contributors", "committers", people, people_before)
    return {
        **_facts(project),
        "primary_language": language,
        **_opinions(project),
        _CHANGE: change,
    }


def _with_percentage(noun: str, other: str, now: int, before: int) -> dict[str, str]:
    """Return a number, its change, and the change in percent without its sign, as today."""
    numbers = {noun: str(now), f"change_in_{noun}": str(now - before)}
    if now != before:
        numbers[f"percentage_change_in_{other}"] = f"{abs(now - before) * 100 // max(before, 1)}%"
    return numbers


def _outside_project(project: dict[str, Any], draw: Draw) -> dict[str, Any]:
    people = 1 + int(4 * draw() ** 2)
    return {
        **_facts(project),
        "claimed_by": "N/A",
        **_opinions(project),
        "affiliates_contributing": str(people),
        "commits_by_current_affiliates": str(people + int(60 * draw() ** 2)),
    }


def _affiliator(
    account: dict[str, Any], own: Sequence[dict[str, Any]], draw: Draw
) -> dict[str, Any]:
    score = account.get("kudo_score") or {}
    latest = pick(own, draw)
    return {
        "name": account["name"],
        "kudos": score.get("kudo_rank", "1"),
        "level": "0",
        "most_commits": {
            "project": pick(own, draw)["name"],
            "commits": str(1 + int(400 * draw() ** 3)),
        },
        "most_recent_commit": {
            "project": latest["name"],
            "date": stamp(SNAPSHOT - 1 - int(500 * DAY * draw() ** 2)),
        },
    }


def _outside_committers(own: Sequence[dict[str, Any]], draw: Draw) -> list[dict[str, Any]]:
    """Return people of the histories of an organization's projects, who belong to none."""
    people = []
    for project in own:
        for person in History(project).contributors()[:3]:
            if draw() < 0.5:
                continue
            people.append(
                {
                    "name": person["contributor_name"],
                    "kudos": str(1 + int(8 * draw())),
                    "level": "0",
                    "affiliated_with": "Unaffiliated",
                    "contributions_to_portfolio_projects": {
                        "projects": project["name"],
                        "twelve_mo_commits": str(1 + int(90 * draw() ** 2)),
                    },
                }
            )
    return people


def _write_lists_of(
    folder: Path,
    people: Sequence[dict[str, Any]],
    projects: Sequence[dict[str, Any]],
    organization: str,
) -> None:
    """Write positions, kudos and managed projects of people of an organization."""
    given = [kudo for number in range(len(people)) for kudo in _kudos(people, projects, number)]
    for number, person in enumerate(people):
        own = person["id"]
        lists = {
            "positions": _positions(person, projects, number, organization),
            "kudos": [kudo for kudo in given if kudo["receiver_account_id"] == own],
            "kudos_sent": [kudo for kudo in given if kudo["sender_account_id"] == own],
            "managed_projects": projects[number : number + 1],
        }
        for collection, records in lists.items():
            if records:  # without a file, a list is empty
                resource = COLLECTIONS[collection]
                path = resource.paths[0].format(account=own)
                _write(folder, path, resource, records)


def _positions(
    person: dict[str, Any], projects: Sequence[dict[str, Any]], number: int, organization: str
) -> list[dict[str, Any]]:
    """Return what a person says to have done: one or two positions, the first of which goes on."""
    draw = record_random(_STREAM, 2_000_000 + int(person["id"])).random
    positions = []
    for index in range(1 + number % 2):
        project = projects[(number + index) % len(projects)]
        started = SNAPSHOT - int((400 + 1_200 * draw()) * DAY)
        ended = started + int((SNAPSHOT - started) * draw()) if index else None
        position = {
            "title": _TITLES[int(draw() * len(_TITLES))],
            "organization": organization,
            "html_url": f"{_SITE}/accounts/{person['id']}/positions/{index + 1}",
            "created_at": stamp(started + 30 * DAY),
            "started_at": stamp(started),
            "ended_at": None if ended is None else stamp(ended),
            "commits": str(1 + int(400 * draw() ** 3)),
            "project": project,
        }
        positions.append(position)
    return positions


def _kudos(
    people: Sequence[dict[str, Any]], projects: Sequence[dict[str, Any]], number: int
) -> list[dict[str, Any]]:
    """Return the kudos that a person gives: to the three next ones, each for a project."""
    sender = people[number]
    draw = record_random(_STREAM, 3_000_000 + int(sender["id"])).random
    kudos = []
    for step in range(1, 4):
        receiver = people[(number + step) % len(people)]
        project = projects[(number + step) % len(projects)]
        kudo = {
            "sender_account_id": sender["id"],
            "sender_account_name": sender["name"],
            "receiver_account_id": receiver["id"],
            "receiver_account_name": receiver["name"],
            "created_at": stamp(SNAPSHOT - 1 - int(600 * DAY * draw())),
            "project_id": project["id"],
            "project_name": project["name"],
        }
        kudos.append(kudo)
    return kudos


def _enlistments(project: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the repositories of a project: most have one, one in fifty has many."""
    number = int(project["id"])
    draw = record_random(_STREAM, 1_000_000 + number).random
    analysis = project.get("analysis")
    count = 1 + int(3.2 * draw() ** 4)
    if number % 50 == 0:
        count = _MANY_REPOSITORIES
    elif analysis is None and draw() < 0.7:
        count = 0
    word = "".join(filter(str.isalnum, project["name"].lower().encode("ascii", "ignore").decode()))
    name = word or f"project{number}"
    kind, template = pick(_ADDRESSES, draw)
    fetched = analysis and (analysis["logged_at"] or analysis["updated_at"])
    return [
        {
            "id": str(number * 100 + index),
            "project_id": project["id"],
            "code_location": {
                "id": str(number * 100 + 50_000 + index),
                "type": kind,
                "url": template.format(owner=f"{name}-team", name=f"{name}{index or ''}"),
                "module_name": "master" if kind == "GitRepository" else None,
                "logged_at": fetched or None,
                "commits": str(5 + int(3_000 * draw() ** 4)),
                "ohloh_job_status": "success" if draw() < 0.95 else "failed",
            },
        }
        for index in range(count)
    ]


def _write(folder: Path, path: str, resource: Resource, records: Sequence[dict[str, Any]]) -> None:
    """Write a whole collection to the file that has its address in the folder."""
    fragments = [record_xml(resource.element, record) for record in records]
    page = result_xml(fragments, len(fragments), synthetic=True, wrapper=resource.wrapper)
    file = folder / f"{path.lstrip('/')}.gz"
    file.parent.mkdir(parents=True, exist_ok=True)
    # No timestamp, so that the same records give the same bytes.
    file.write_bytes(gzip.compress(page, 6, mtime=0))
