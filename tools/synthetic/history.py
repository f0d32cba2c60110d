"""Generate contributors, monthly activity and sizes of a synthetic project, and languages."""

# They are derived from the record of the project and agree with its analysis:
#
# - the months range from `min_month` to `max_month`, and both have a commit;
# - `twelve_month_contributor_count` people committed in the twelve months before the analysis;
# - the lines of code after the last month are `total_code_lines`;
# - the totals of commits and people agree with the analysis, if present.
#
# The distribution of work over people and months is chosen, not measured.

from __future__ import annotations

from collections import Counter, defaultdict
from functools import cached_property
from hashlib import sha256
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

from tools.synthetic._time import DAY, month_start, parse_month, stamp
from tools.synthetic.descriptions import project_name
from tools.synthetic.distributions import Draw, read_table

if TYPE_CHECKING:
    from collections.abc import Iterable

_COMMENT_RATIOS = read_table("projects.toml")["comment_ratios"]
_USUAL_COMMENT_RATIO = 0.21
_BLANKS = 0.19  # blank lines for each line of code
_CHURN = 0.4  # lines added and removed again, per line that stays
_MARKUP = {"HTML", "XML", "CSS", "XSL Transformation", "XML Schema", "TeX/LaTeX"}
_BUILD = {"Make", "Autoconf", "Automake", "CMake", "Jam", "Ebuild"}


class Person(NamedTuple):
    """A contributor: commits by month."""

    number: int
    name: str
    commits: Counter[int]


class History:
    """History of the source code of a generated project with an analysis."""

    def __init__(self, project: dict[str, Any]) -> None:
        analysis = project["analysis"]
        self.analysis = analysis
        self._project = int(project["id"])
        seed = f"{project['id']} {analysis['id']} {project['created_at']}"
        self._draw: Draw = Random(int.from_bytes(sha256(seed.encode()).digest()[:8])).random
        first, last = analysis["min_month"], analysis["max_month"]
        self._months = range(parse_month(first), parse_month(last) + 1) if first else range(0)
        #: The first of the twelve months before the analysis.
        self._window = parse_month(analysis["logged_at"] or analysis["updated_at"]) - 11
        self._code = self._number("total_code_lines")
        kinds = (factoid["@type"] for factoid in analysis.get("factoids", ()))
        ratios = (_COMMENT_RATIOS[kind] for kind in kinds if kind in _COMMENT_RATIOS)
        ratio = next(ratios, _USUAL_COMMENT_RATIO)
        self._comments_per_line = ratio / (1 - ratio)
        self._recent, self._former = self._team()
        self._total = self._number("total_commit_count") or self._drawn_total()

    def contributors(self) -> list[dict[str, Any]]:
        """Return the contributor facts, most commits in the last twelve months first."""

        def order(person: Person) -> tuple[int, int, int]:
            recent = sum(n for month, n in person.commits.items() if month >= self._window)
            return -recent, -person.commits.total(), person.number

        return [self._fact(person) for person in sorted(self._people, key=order)]

    def activity(self) -> list[dict[str, Any]]:
        """Return one activity fact per month."""
        facts: list[dict[str, Any]] = []
        before = 0
        for month, lines, commits in self._growth():
            code = lines - before
            churn = int(abs(code) * _CHURN) + commits
            before = lines
            fact = {"month": stamp(month_start(month))}
            shares = {"code": 1.0, "comments": self._comments_per_line, "blanks": _BLANKS}
            for name, share in shares.items():
                net = round(lines * share) - round((lines - code) * share)
                moved = int(churn * share) if commits else 0
                fact[f"{name}_added"] = str(max(net, 0) + moved)
                fact[f"{name}_removed"] = str(max(-net, 0) + moved)
            fact |= {"commits": str(commits), "contributors": str(self._active[month])}
            facts.append(fact)
        return facts

    def sizes(self) -> list[dict[str, Any]]:
        """Return one size fact per month."""
        facts: list[dict[str, Any]] = []
        commits, man_months = 0, 0
        for month, code, added in self._growth():
            commits += added
            man_months += self._active[month]
            comments = round(code * self._comments_per_line)
            facts.append(
                {
                    "month": stamp(month_start(month)),
                    "code": str(code),
                    "comments": str(comments),
                    "blanks": str(round(code * _BLANKS)),
                    "comment_ratio": _ratio(comments, code),
                    "commits": str(commits),
                    "man_months": str(man_months),
                }
            )
        return facts

    def totals(self) -> dict[str, int]:
        """Return the total lines of each kind, commits and contributors."""
        return {
            "code": self._code,
            "comments": round(self._code * self._comments_per_line),
            "blanks": round(self._code * _BLANKS),
            "contributors": self._recent + self._former,
            "commits": self._total,
        }

    def two_years(self) -> tuple[int, int, int, int]:
        """Return commits and people of the twelve months before the analysis, and before these."""
        numbers = []
        for begin in (self._window, self._window - 12):
            window = range(begin, begin + 12)
            commits = [
                sum(count for month, count in person.commits.items() if month in window)
                for person in self._people
            ]
            numbers += [sum(commits), sum(map(bool, commits))]
        return numbers[0], numbers[1], numbers[2], numbers[3]

    def _growth(self) -> list[tuple[int, int, int]]:
        """Return month, lines of code after it, which grow with the commits, and its commits."""
        commits: Counter[int] = Counter()
        for person in self._people:
            commits.update(person.commits)
        rows, done = [], 0
        for month in self._months:
            done += commits[month]
            rows.append((month, round(self._code * done / commits.total()), commits[month]))
        return rows

    @cached_property
    def _active(self) -> Counter[int]:
        """People with commits in each month."""
        return Counter(month for person in self._people for month in person.commits)

    def _number(self, name: str) -> int:
        return int(self.analysis.get(name, "0").replace(",", ""))

    def _team(self) -> tuple[int, int]:
        """Return the numbers of people who committed in the last twelve months, and only before."""
        recent = self._number("twelve_month_contributor_count")
        former = max(self._number("total_contributor_count") - recent, 0)
        if not former:
            former = int(recent * self._draw() * 2)
            former += 0 if recent else 1 + int(self._draw() ** 4 * 12)
        if not self._months:
            return 0, 0
        # Nobody committed before the window if the project is younger.
        return recent, former if self._window > self._months[0] else 0

    def _drawn_total(self) -> int:
        people = self._recent + self._former
        # The project and each person have commits in their first and last month.
        return people * (2 + int(90 * self._draw() ** 3)) + 2 + int(people * self._draw() * 40)

    @cached_property
    def _people(self) -> list[Person]:
        months = self._months
        border = max(self._window, months[0])
        old = range(months[0], min(border, months[-1] + 1))
        new = range(border, months[-1] + 1)
        people = [self._person(i, new) for i in range(self._recent)]
        people += [self._person(self._recent + i, old) for i in range(self._former)]
        # The first and the last month must have a commit.
        people[-1].commits.setdefault(months[0], 1)
        people[0].commits.setdefault(months[-1], 1)
        self._fit(people)
        return people

    def _person(self, index: int, ends: range) -> Person:
        """Generate a person whose last commit is in one of the months `ends`."""
        draw = self._draw
        last = ends[-1] - int(draw() ** 2 * len(ends))
        span = int(draw() ** 3 * (last - self._months[0] + 1))
        busy = 0.2 + 0.7 * draw()
        size = 1 + 30 * draw() ** 4
        commits = Counter(
            {
                month: 1 + int(size * draw() ** 2)
                for month in range(last - span, last)
                if draw() < busy
            }
        )
        commits[last] = 1 + int(size * draw())
        return Person(index, project_name(draw)[1].capitalize(), commits)

    def _fit(self, people: list[Person]) -> None:
        """Adjust the number of commits to the total."""
        slots = [(person.commits, month) for person in people for month in sorted(person.commits)]
        surplus = sum(commits[month] for commits, month in slots) - self._total
        for commits, month in slots:
            removed = min(max(surplus, 0), commits[month] - 1)
            commits[month] -= removed
            surplus -= removed
        for commits, month in slots:
            ends = (min(commits), max(commits), self._months[0], self._months[-1])
            if surplus > 0 and month not in ends:
                surplus -= commits.pop(month)
        for index in range(-surplus):
            commits, month = slots[index % len(slots)]
            commits[month] += 1

    def _fact(self, person: Person) -> dict[str, Any]:
        commits, analysis = person.commits.total(), self.analysis
        return {
            "contributor_id": str(self._project * 10_000 + person.number + 1),
            "analysis_id": analysis["id"],
            "contributor_name": person.name,
            "primary_language_id": analysis["main_language_id"],
            "primary_language_nice_name": analysis["main_language_name"],
            "comment_ratio": str(round(self._comments_per_line / (1 + self._comments_per_line), 6)),
            "first_commit_time": _within(min(person.commits), person.number),
            "last_commit_time": _within(max(person.commits), person.number + commits),
            "man_months": str(len(person.commits)),
            "commits": str(commits),
        }


def _ratio(comments: int, code: int) -> str | None:
    return str(round(comments / (code + comments), 6)) if code + comments else None


def _within(month: int, number: int) -> str:
    """Return a timestamp in a month, spread by a number."""
    return stamp(month_start(month) + number * 7919 % (27 * DAY))


def languages(projects: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return a record for each language of generated projects, by name.

    Lines are split by the percentages of each analysis; people and commits of a project count for
    its main language.
    """
    counts: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for project in projects:
        if not (analysis := project.get("analysis")):
            continue
        totals = History(project).totals()
        for entry in analysis.get("languages", ()):
            share, count = entry["@percentage"], counts[entry["#text"], entry["@id"]]
            count["projects"] += 1
            for name in ("code", "comments", "blanks"):
                percent = int(share) if share.isdigit() else 0
                count[name] += max(totals[name], 0) * percent // 100
            if entry["@id"] == analysis["main_language_id"]:
                count["contributors"] += totals["contributors"]
                count["commits"] += totals["commits"]
    return [
        _language(name, identifier, count)
        for (name, identifier), count in sorted(counts.items())
        if identifier  # not the line for others
    ]


def _language(name: str, identifier: str, count: Counter[str]) -> dict[str, str | None]:
    """Return a language with its lines, projects and people."""
    category = "code"
    if name in _MARKUP:
        category = "markup"
    elif name in _BUILD:
        category = "build"
    return {
        "id": identifier,
        "name": "".join(name.lower().split()),
        "nice_name": name,
        "category": category,
        "code": str(count["code"]),
        "comments": str(count["comments"]),
        "blanks": str(count["blanks"]),
        "comment_ratio": _ratio(count["comments"], count["code"]),
        "projects": str(count["projects"]),
        "contributors": str(count["contributors"]),
        "commits": str(count["commits"]),
    }
