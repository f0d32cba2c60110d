"""The year in which programming languages first appeared.

Only well-known languages, by their names in the directory. Sources: PLDB, the Programming
Language Database (pldb.io, "appeared"), and Wikipedia's "first appeared" as stored by PLDB. If
they, or another cited source, differ, the earliest year is used, so that no project is flagged
that one of them would clear.
"""

from __future__ import annotations

#: Year of first appearance by main language. Without a comment, both sources agree.
FIRST_APPEARANCE: dict[str, int] = {
    "ActionScript": 1998,  # PLDB; Wikipedia 1999
    "Ada": 1980,
    "C": 1972,  # PLDB; Wikipedia 2011, the year of a standard
    "C#": 2000,  # PLDB; Wikipedia 2017, the year of a version
    # Named in mid-1983, about when it was first used outside a research organization: Wikipedia,
    # "C++". Both sources are later: PLDB 1985, the commercial release; Wikipedia 1998, a standard.
    "C++": 1983,
    "Clojure": 2007,
    "CoffeeScript": 2009,  # PLDB; Wikipedia 2011
    "D": 2001,
    "Dart": 2011,
    "Eiffel": 1986,
    "Elixir": 2011,
    "Emacs Lisp": 1985,
    "Erlang": 1986,
    "F#": 2005,
    "Go": 2009,
    "Groovy": 2003,
    "Haskell": 1990,
    "Haxe": 2005,
    "Java": 1995,
    "JavaScript": 1995,
    "Julia": 2012,
    "Kotlin": 2011,
    "Lua": 1993,
    "OCaml": 1996,
    "Objective-C": 1984,
    "PHP": 1994,  # Wikipedia; PLDB 1995, the first release
    "Perl": 1987,
    "Python": 1991,
    "R": 1993,
    "Ruby": 1995,  # PLDB; Wikipedia 2007, the year of a version
    "Rust": 2010,  # PLDB; Wikipedia 2016, the year of a version
    "Scala": 2004,
    "Swift": 2014,
    "TypeScript": 2012,
    "Vala": 2006,  # PLDB; Wikipedia 2017, the year of a version
    "Visual Basic": 1991,
}
