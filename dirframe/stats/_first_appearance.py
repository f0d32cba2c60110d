"""The year in which programming languages were first to be had outside their maker's house.

Well-known languages only, by the names that the directory gives them. Each entry has its
source beside it; "HOPL" is the ACM conference History of Programming Languages.
"""

from __future__ import annotations

#: Year of first appearance by main language.
FIRST_APPEARANCE: dict[str, int] = {
    "ActionScript": 2000,  # Macromedia Flash 5, August 2000
    "Ada": 1980,  # the preliminary standard MIL-STD-1815, December 1980
    "C": 1972,  # D. Ritchie, The Development of the C Language, HOPL II, 1993
    "C#": 2000,  # announced with .NET, Microsoft press release of 22 June 2000
    "C++": 1983,  # B. Stroustrup, A History of C++, HOPL II, 1993: so named and used outside
    "Clojure": 2007,  # R. Hickey, A History of Clojure, HOPL IV, 2020
    "CoffeeScript": 2009,  # its change log: 0.1.0, 24 December 2009
    "D": 2001,  # W. Bright and others, Origins of the D Programming Language, HOPL IV, 2020
    "Dart": 2011,  # announced at GOTO Aarhus, 10 October 2011
    "Eiffel": 1986,  # B. Meyer, first public presentation at OOPSLA 1986
    "Elixir": 2012,  # its releases: 0.5.0, the first with the present language, May 2012
    "Emacs Lisp": 1985,  # S. Monnier and M. Sperber, Evolution of Emacs Lisp, HOPL IV, 2020
    "Erlang": 1986,  # J. Armstrong, A History of Erlang, HOPL III, 2007: the first version
    "F#": 2005,  # D. Syme, The Early History of F#, HOPL IV, 2020: the first release, 1.0
    "Go": 2009,  # made public on 10 November 2009, go.dev/doc/faq
    "Groovy": 2003,  # P. King, A History of the Groovy Programming Language, HOPL IV, 2020
    "Haskell": 1990,  # P. Hudak and others, A History of Haskell, HOPL III, 2007: report 1.0
    "Haxe": 2005,  # haxe.org, Introduction to Haxe: first version in 2005
    "Java": 1995,  # announced at SunWorld, 23 May 1995
    "JavaScript": 1995,  # A. Wirfs-Brock and B. Eich, JavaScript: the first 20 years, HOPL IV
    "Julia": 2012,  # julialang.org/blog: Why We Created Julia, 14 February 2012
    "Kotlin": 2011,  # announced at the JVM Language Summit, July 2011
    "Lua": 1993,  # R. Ierusalimschy and others, The Evolution of Lua, HOPL III, 2007
    "OCaml": 1996,  # ocaml.org, A History of OCaml: Objective Caml, 1996
    "Objective-C": 1984,  # B. Cox and others, The Origins of Objective-C, HOPL IV, 2020
    "PHP": 1995,  # php.net, History of PHP: PHP Tools, 8 June 1995
    "Perl": 1987,  # perlhist: 1.000, 18 December 1987
    "Python": 1991,  # python.org, The History of Python: 0.9.0, February 1991
    "R": 1993,  # R. Ihaka, R: Past and Future History, 1998: first binaries, August 1993
    "Ruby": 1995,  # ruby-lang.org, About Ruby: made public in 1995
    "Rust": 2010,  # announced at the Mozilla Summit, July 2010
    "Scala": 2004,  # scala-lang.org, M. Odersky, A Brief History of Scala: made public, 2004
    "Swift": 2014,  # announced at Apple's WWDC, 2 June 2014
    "TypeScript": 2012,  # announced with 0.8, 1 October 2012
    "Vala": 2006,  # its change log: 0.0.1, July 2006
    "Visual Basic": 1991,  # Visual Basic 1.0, COMDEX/Windows World, 20 May 1991
}
