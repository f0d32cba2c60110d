"""Generate contributors, monthly activity and sizes of a synthetic project."""

# They are derived from the record of the project on request and agree with its analysis:
#
# - the months range from `min_month` to `max_month`, and both have a commit;
# - `twelve_month_contributor_count` people committed in the twelve months before the analysis;
# - the lines of code after the last month are `total_code_lines`;
# - commits and people agree with their counts in the analysis, if present.
#
# The distribution of work over people and months is chosen, not measured.

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from random import Random
from typing import Any

from tools.synthetic._time import DAY, month_start, parse_month, stamp
from tools.synthetic.descriptions import project_name
from tools.synthetic.distributions import Draw, read_table

_COMMENT_RATIOS = read_table("projects.toml")["comment_ratios"]
_USUAL_COMMENT_RATIO = 0.21
_BLANKS = 0.19  # blank lines for each line of code
_CHURN = 0.4  # lines added and removed again, per line that stays
_YEAR = 12


@dataclass
class _Person:
    """One contributor: commits by month."""

    number: int
    name: str
    commits: dict[int, int]

    @property
    def first(self) -> int:
        return min(self.commits)

    @property
    def last(self) -> int:
        return max(self.commits)


class History:
    """History of the source code of a generated project with an analysis."""

    def __init__(self, project: dict[str, Any]) -> None:
        self.analysis: dict[str, Any] = project["analysis"]
        self._project = project["id"]
        seed = f"{self._project} {self.analysis['id']} {project['created_at']}"
        rng = Random()
        rng.seed(int.from_bytes(sha256(seed.encode()).digest()[:8]))
        self._draw: Draw = rng.random
        first, last = (self.analysis[name] for name in ("min_month", "max_month"))
        self._months = (
            range(parse_month(first), parse_month(last) + 1) if first and last else range(0)
        )
        self._recent, self._former = self._team()
        self._total = self._number("total_commit_count") or self._drawn_total()

    def contributors(self) -> list[dict[str, Any]]:
        """Return the contributor facts, most commits in the last twelve months first."""
        since = self._window
        people = sorted(
            self._people,
            key=lambda p: (-_since(p, since), -sum(p.commits.values()), p.number),
        )
        return [self._fact(person) for person in people]

    def activity(self) -> list[dict[str, Any]]:
        """Return one activity fact per month."""
        facts: list[dict[str, Any]] = []
        before = 0
        for month in self._months:
            lines, commits = self._lines[month], self._commits[month]
            code = lines - before
            churn = int(abs(code) * _CHURN) + commits
            before = lines
            facts.append({"month": stamp(month_start(month))})
            for name, share in (
                ("code", 1.0),
                ("comments", self._comments_per_line),
                ("blanks", _BLANKS),
            ):
                net = round(lines * share) - round((lines - code) * share)
                moved = int(churn * share) if commits else 0
                facts[-1][f"{name}_added"] = str(max(net, 0) + moved)
                facts[-1][f"{name}_removed"] = str(max(-net, 0) + moved)
            facts[-1]["commits"] = str(commits)
            facts[-1]["contributors"] = str(self._active[month])
        return facts

    def sizes(self) -> list[dict[str, Any]]:
        """Return one size fact per month."""
        facts: list[dict[str, Any]] = []
        commits = man_months = 0
        for month in self._months:
            commits += self._commits[month]
            man_months += self._active[month]
            code = self._lines[month]
            comments = round(code * self._comments_per_line)
            total = code + comments
            facts.append(
                {
                    "month": stamp(month_start(month)),
                    "code": str(code),
                    "comments": str(comments),
                    "blanks": str(round(code * _BLANKS)),
                    "comment_ratio": str(round(comments / total, 6)) if total else None,
                    "commits": str(commits),
                    "man_months": str(man_months),
                }
            )
        return facts

    def totals(self) -> dict[str, int]:
        """Return the total lines of each kind, commits and contributors."""
        code = self._number("total_code_lines")
        return {
            "code": code,
            "comments": round(code * self._comments_per_line),
            "blanks": round(code * _BLANKS),
            "contributors": self._recent + self._former,
            "commits": self._total,
        }

    @cached_property
    def _window(self) -> int:
        """The first of the twelve months before the analysis."""
        made = self.analysis["logged_at"] or self.analysis["updated_at"]
        return parse_month(made) - _YEAR + 1

    @cached_property
    def _active(self) -> Counter[int]:
        """People with commits in each month."""
        return Counter(month for person in self._people for month in person.commits)

    @cached_property
    def _commits(self) -> Counter[int]:
        commits: Counter[int] = Counter()
        for person in self._people:
            commits.update(person.commits)
        return commits

    @cached_property
    def _lines(self) -> dict[int, int]:
        """Lines of code after each month, proportional to commits."""
        total, every = self._number("total_code_lines"), self._commits.total()
        lines: dict[int, int] = {}
        done = 0
        for month in self._months:
            done += self._commits[month]
            lines[month] = round(total * done / every)
        return lines

    @cached_property
    def _comments_per_line(self) -> float:
        kinds = (factoid["@type"] for factoid in self.analysis.get("factoids", ()))
        ratios = (_COMMENT_RATIOS[kind] for kind in kinds if kind in _COMMENT_RATIOS)
        ratio: float = next(ratios, _USUAL_COMMENT_RATIO)
        return ratio / (1 - ratio)

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
    def _people(self) -> list[_Person]:
        months = self._months
        if not months:
            return []
        border = max(self._window, months[0])
        old = range(months[0], min(border, months[-1] + 1))
        new = range(border, months[-1] + 1)
        people = [self._person(i, months[0], new) for i in range(self._recent)]
        people += [self._person(self._recent + i, months[0], old) for i in range(self._former)]
        # The first and the last month must have a commit.
        people[-1].commits.setdefault(months[0], 1)
        people[0].commits.setdefault(months[-1], 1)
        year = self._number("twelve_month_commit_count")
        parts = [(self._window, year), (0, self._total - year)] if year else [(0, self._total)]
        self._fit(people, parts)
        return people

    def _person(self, index: int, first: int, ends: range) -> _Person:
        """Generate a person whose last commit is in one of the months `ends`."""
        draw = self._draw
        last = ends[-1] - int(draw() ** 2 * len(ends))
        span = int(draw() ** 3 * (last - first + 1))
        busy = 0.2 + 0.7 * draw()
        size = 1 + 30 * draw() ** 4
        commits = {
            month: 1 + int(size * draw() ** 2)
            for month in range(last - span, last)
            if draw() < busy
        }
        commits[last] = 1 + int(size * draw())
        return _Person(index, project_name(draw)[1].capitalize(), commits)

    def _fit(self, people: list[_Person], parts: list[tuple[int, int]]) -> None:
        """Adjust the number of commits from a month on to a target, for each of `parts`."""
        until = self._months[-1] + 1
        for since, target in parts:
            slots = [
                (person, month)
                for person in people
                for month in sorted(person.commits)
                if since <= month < until
            ]
            until = since
            surplus = sum(p.commits[m] for p, m in slots) - target
            for person, month in slots:
                removed = min(max(surplus, 0), person.commits[month] - 1)
                person.commits[month] -= removed
                surplus -= removed
            for person, month in slots:
                ends = (person.first, person.last, self._months[0], self._months[-1])
                if surplus > 0 and month not in ends:
                    surplus -= person.commits.pop(month)
            for index in range(max(-surplus, 0) if slots else 0):
                person, month = slots[index % len(slots)]
                person.commits[month] += 1

    def _fact(self, person: _Person) -> dict[str, Any]:
        commits = sum(person.commits.values())
        return {
            "contributor_id": str(int(self._project) * 10_000 + person.number + 1),
            "analysis_id": self.analysis["id"],
            "contributor_name": person.name,
            "primary_language_id": self.analysis["main_language_id"],
            "primary_language_nice_name": self.analysis["main_language_name"],
            "comment_ratio": str(round(self._comments_per_line / (1 + self._comments_per_line), 6)),
            "first_commit_time": _within(person.first, person.number),
            "last_commit_time": _within(person.last, person.number + commits),
            "man_months": str(len(person.commits)),
            "commits": str(commits),
        }


def _since(person: _Person, month: int) -> int:
    return sum(count for at, count in person.commits.items() if at >= month)


def _within(month: int, number: int) -> str:
    """Return a timestamp in a month, spread by a number."""
    return stamp(month_start(month) + number * 7919 % (27 * DAY))
