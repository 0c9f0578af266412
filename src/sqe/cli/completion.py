"""What could be meant by the word at the cursor."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from sqe.cli.dot_commands import COMMANDS, is_command
from sqe.cli.names import Listing, Names
from sqe.cli.scope import Place, named_queries, place_at, tables_of
from sqe.cli.tokens import statement_around
from sqe.foundation.identifiers import quoted_if_needed
from sqe.foundation.record import record
from sqe.functions import registry
from sqe.sql.keywords import BEGINNINGS, KEYWORDS, TYPES


@record
class Candidate:
    """`text` takes the place of what was typed from `start` on; `about` is a word for the reader."""

    text: str
    start: int
    about: str


def candidates(text: str, cursor: int, names: Names) -> list[Candidate]:
    if is_command(text):
        return list(_of_command(text[:cursor], names))
    statement, at = statement_around(text, cursor)
    place = place_at(statement[:at])
    begin = cursor - at + place.start
    result: list[Candidate] = []
    seen: set[str] = set()
    for choice, about in _choices(place, statement, names):
        if choice.lower() not in seen:
            seen.add(choice.lower())
            result.append(Candidate(choice, begin, about))
    return result


def _choices(place: Place, statement: str, names: Names) -> Iterator[tuple[str, str]]:
    if place.kind == "nothing":
        return
    if place.kind == "file":
        yield from _files(place.word, (".parquet",))
        return
    if place.path:
        yield from _below(place, statement, names)
        return
    if place.kind in ("table", "schema", "catalog"):
        if place.kind == "table":
            yield from _matching(place, ((name, "named query") for name in named_queries(statement)))
            yield from _matching(place, ((name, "table") for name in names.tables()))
        if place.kind != "catalog":
            yield from _matching(place, ((name, "schema") for name in names.schemas()))
        yield from _matching(place, ((name, "catalog") for name in names.catalogs()))
        return
    if place.kind == "expression":
        tables = tables_of(statement)
        for path in dict.fromkeys(tables.values()):
            yield from _matching(place, names.columns(path))
        yield from _matching(place, ((alias, ".".join(path)) for alias, path in tables.items()))
        if not place.quoted:
            yield from _functions(place.word)
    if not place.quoted:
        words = BEGINNINGS if place.kind == "beginning" else KEYWORDS | TYPES
        yield from _keywords(place.word, sorted(words))


def _below(place: Place, statement: str, names: Names) -> Iterator[tuple[str, str]]:
    """Behind a dot: the columns of a table of the statement, the tables of a schema, the schemas of a
    catalog."""
    if place.kind not in ("table", "schema", "catalog"):
        path = tables_of(statement).get(place.path[-1])
        # `t.` where t is a name or an alias, or `shop.t.` where the statement says shop.t.
        if path is not None and (len(place.path) == 1 or path[-len(place.path) :] == place.path):
            yield from _matching(place, names.columns(path))
            return
    if place.kind != "schema":
        yield from _matching(place, ((name, "table") for name in names.tables(place.path)))
    above = ".".join(place.path) + "."
    nested = (name.removeprefix(above) for name in names.schemas() if name.startswith(above))
    yield from _matching(place, ((name, "schema") for name in nested))
    if len(place.path) == 1:
        catalogs = {name.lower(): name for name in names.catalogs()}
        if place.path[0].lower() in catalogs:
            of = names.schemas(catalogs[place.path[0].lower()])
            yield from _matching(place, ((name, "schema") for name in of))


def _matching(place: Place, listing: Iterable[tuple[str, str]] | Listing) -> Iterator[tuple[str, str]]:
    """Names that go on from what was typed, in quotes where they need them or were begun with one."""
    typed = place.word.lower()
    for name, about in listing:
        if name.lower().startswith(typed):
            text = quoted_if_needed(name)
            if place.quoted and not text.startswith('"'):
                text = f'"{text}"'
            yield text, about


def _keywords(word: str, keywords: Iterable[str]) -> Iterator[tuple[str, str]]:
    lower = word != word.upper()
    for keyword in keywords:
        if keyword.startswith(word.upper()):
            yield (keyword.lower() if lower else keyword), ""


def _functions(word: str) -> Iterator[tuple[str, str]]:
    typed = word.lower()
    for name in registry.names():
        if name.startswith(typed):
            function = registry.lookup(name)
            yield name, function.help if function is not None else ""


def _files(typed: str, endings: tuple[str, ...] = ()) -> Iterator[tuple[str, str]]:
    """Directories, and files with one of the endings."""
    folder, _, word = typed.rpartition("/")
    place = os.path.expanduser(folder + "/" if "/" in typed else ".")
    try:
        with os.scandir(place) as listing:
            entries = sorted((entry.name, entry.is_dir()) for entry in listing)
    except OSError:
        return
    for name, is_folder in entries:
        if not name.startswith(word) or (name.startswith(".") and not word):
            continue
        if is_folder or not endings or name.lower().endswith(endings):
            path = (f"{folder}/" if "/" in typed else "") + name + ("/" if is_folder else "")
            yield path.replace("'", "''") if endings else path, "directory" if is_folder else "file"


def _of_command(text: str, names: Names) -> Iterator[Candidate]:
    blank = len(text) - len(text.lstrip())
    word, space, rest = text.lstrip().partition(" ")
    if not space:
        for command in COMMANDS:
            for name in command.names:
                if name.startswith(word[1:].lower()):
                    yield Candidate(word[:1] + name, blank, command.help)
        return
    argument = rest.lstrip()
    start = len(text) - len(argument)
    dot_command = next((c for c in COMMANDS if word[1:].lower() in c.names), None)
    if dot_command is None:
        return
    if dot_command.takes == "file":
        yield from (Candidate(path, start, about) for path, about in _files(argument))
    elif dot_command.takes in ("table", "schema"):
        # As behind the words of a statement that takes the same.
        prefix = "DESCRIBE " if dot_command.takes == "table" else "SHOW TABLES FROM "
        for candidate in candidates(prefix + argument, len(prefix + argument), names):
            yield Candidate(candidate.text, candidate.start - len(prefix) + start, candidate.about)
    else:
        for choice in dot_command.takes.split("|"):
            if choice and choice.startswith(argument.lower()):
                yield Candidate(choice, start, "")
