"""Patterns over letters beyond ASCII: sets and folding are those of Trino, whose answers these are."""

from __future__ import annotations

import duckdb
import pyarrow as pa
import pytest

from sqe.api.connection import Connection
from sqe.engine.duckdb.functions.rendering import render
from sqe.engine.render.templates import restore
from sqe.engine.spark.functions.java_patterns import java_pattern
from sqe.errors import NotSupported, SqeError
from sqe.functions.registry import lookup
from sqe.tree.expressions import Call, Literal
from sqe.types.sql_types import VARCHAR

TEXT = (
    "é ß\u0663\xa0\u2028\x85\n\x0b\u017f\u212akK s\u0301_1😀\U0001d400\u2167\xb2\u060c\u200d+"
    "\u0130\u0131iI SS \ufb01fi \ufb06 \u1e9e office \u017fs \u03c3\u03a3\u03c2 É"
)
# The matches in the text, with | between them.
MATCHES = {
    "\\w+": "kK|s|_1|iI|SS|fi|office|s",
    "\\W+": (
        "é ß\u0663\xa0\u2028\x85\n\x0b\u017f\u212a| |\u0301|😀\U0001d400\u2167\xb2\u060c\u200d+"
        "\u0130\u0131| | \ufb01| \ufb06 \u1e9e | \u017f| \u03c3\u03a3\u03c2 É"
    ),
    "\\d": "1",
    "\\D+": (
        "é ß\u0663\xa0\u2028\x85\n\x0b\u017f\u212akK s\u0301_|😀\U0001d400\u2167\xb2\u060c\u200d+"
        "\u0130\u0131iI SS \ufb01fi \ufb06 \u1e9e office \u017fs \u03c3\u03a3\u03c2 É"
    ),
    "\\s+": " |\n\x0b| | | | | | | | | ",
    "\\S+": (
        "é|ß\u0663\xa0\u2028\x85|\u017f\u212akK|s\u0301_1😀\U0001d400\u2167\xb2\u060c\u200d+\u0130"
        "\u0131iI|SS|\ufb01fi|\ufb06|\u1e9e|office|\u017fs|\u03c3\u03a3\u03c2|É"
    ),
    "[\\w+]+": "kK|s|_1|+|iI|SS|fi|office|s",
    "[^\\w]+": (
        "é ß\u0663\xa0\u2028\x85\n\x0b\u017f\u212a| |\u0301|😀\U0001d400\u2167\xb2\u060c\u200d+"
        "\u0130\u0131| | \ufb01| \ufb06 \u1e9e | \u017f| \u03c3\u03a3\u03c2 É"
    ),
    "[\\W_]+": (
        "é ß\u0663\xa0\u2028\x85\n\x0b\u017f\u212a| |\u0301_|😀\U0001d400\u2167\xb2\u060c\u200d+"
        "\u0130\u0131| | \ufb01| \ufb06 \u1e9e | \u017f| \u03c3\u03a3\u03c2 É"
    ),
    "[^\\d\\s]+": (
        "é|ß\u0663\xa0\u2028\x85|\u017f\u212akK|s\u0301_|😀\U0001d400\u2167\xb2\u060c\u200d+\u0130"
        "\u0131iI|SS|\ufb01fi|\ufb06|\u1e9e|office|\u017fs|\u03c3\u03a3\u03c2|É"
    ),
    "\\v": "\x0b",
    "\\h|s": "s|s",
    "\\b\\w": "s|S|o",
    "\\B.": (
        "\u0663|\u2028|\x85|\x0b|\u212a|k|K|\u0301|_|1|\u2167|\xb2|\u200d|+|\u0131|i|I|S|f|i|f|f|"
        "i|c|e|s|\u03a3|\u03c2"
    ),
    "\\b.\\b": "é| | |😀| | | |\ufb06| |\u1e9e| | | | |É",
    "[[:alpha:]]+": (
        "é|ß|\u017f\u212akK|s|\U0001d400\u2167|\u0130\u0131iI|SS|\ufb01fi|\ufb06|\u1e9e|office|"
        "\u017fs|\u03c3\u03a3\u03c2|É"
    ),
    "[[:alnum:]]+": (
        "é|ß\u0663|\u017f\u212akK|s|1|\U0001d400\u2167|\u0130\u0131iI|SS|\ufb01fi|\ufb06|\u1e9e|o"
        "ffice|\u017fs|\u03c3\u03a3\u03c2|É"
    ),
    "[[:digit:]]": "\u0663|1",
    "[[:space:]]+": " |\xa0\u2028\x85\n\x0b| | | | | | | | | ",
    "[[:upper:]]": "\u212a|K|\U0001d400|\u2167|\u0130|I|S|S|\u1e9e|\u03a3|É",
    "[[:lower:]]+": "é|ß|\u017f|k|s|\u0131i|\ufb01fi|\ufb06|office|\u017fs|\u03c3|\u03c2",
    "[[:punct:]]": "_|\u060c",
    "[[:word:]]+": (
        "é|ß\u0663|\u017f\u212akK|s\u0301_1|\U0001d400\u2167|\u0130\u0131iI|SS|\ufb01fi|\ufb06|"
        "\u1e9e|office|\u017fs|\u03c3\u03a3\u03c2|É"
    ),
    "[[:cntrl:]]": "\x85|\n|\x0b",
    "[[:print:]]+": (
        "é ß\u0663\xa0|\u017f\u212akK s\u0301_1😀\U0001d400\u2167\xb2\u060c\u200d+\u0130\u0131iI S"
        "S \ufb01fi \ufb06 \u1e9e office \u017fs \u03c3\u03a3\u03c2 É"
    ),
    "[[:graph:]]+": (
        "é|ß\u0663|\u017f\u212akK|s\u0301_1😀\U0001d400\u2167\xb2\u060c\u200d+\u0130\u0131iI|SS|"
        "\ufb01fi|\ufb06|\u1e9e|office|\u017fs|\u03c3\u03a3\u03c2|É"
    ),
    "[[:xdigit:]]": "1|f|f|f|c|e",
    "[[:blank:]]": " |\xa0| | | | | | | | | ",
    "[[:ascii:]]+": " |\n\x0b|kK s|_1|+|iI SS |fi | | office |s | ",
    "[[:^alpha:]]+": " |\u0663\xa0\u2028\x85\n\x0b| |\u0301_1😀|\xb2\u060c\u200d+| | | | | | | | ",
    "[^[:alpha:]]+": " |\u0663\xa0\u2028\x85\n\x0b| |\u0301_1😀|\xb2\u060c\u200d+| | | | | | | | ",
    "[^[:^alpha:]]+": (
        "é|ß|\u017f\u212akK|s|\U0001d400\u2167|\u0130\u0131iI|SS|\ufb01fi|\ufb06|\u1e9e|office|"
        "\u017fs|\u03c3\u03a3\u03c2|É"
    ),
    "\\p{Alpha}+": (
        "é|ß|\u017f\u212akK|s|\U0001d400\u2167|\u0130\u0131iI|SS|\ufb01fi|\ufb06|\u1e9e|office|"
        "\u017fs|\u03c3\u03a3\u03c2|É"
    ),
    "\\P{Alpha}+": " |\u0663\xa0\u2028\x85\n\x0b| |\u0301_1😀|\xb2\u060c\u200d+| | | | | | | | ",
    "\\p{Digit}": "\u0663|1",
    "\\p{Space}": " |\xa0|\u2028|\x85|\n|\x0b| | | | | | | | | ",
    "\\p{Upper}": "\u212a|K|\U0001d400|\u2167|\u0130|I|S|S|\u1e9e|\u03a3|É",
    "\\p{L}+": (
        "é|ß|\u017f\u212akK|s|\U0001d400|\u0130\u0131iI|SS|\ufb01fi|\ufb06|\u1e9e|office|\u017fs|"
        "\u03c3\u03a3\u03c2|É"
    ),
    "\\pL+": (
        "é|ß|\u017f\u212akK|s|\U0001d400|\u0130\u0131iI|SS|\ufb01fi|\ufb06|\u1e9e|office|\u017fs|"
        "\u03c3\u03a3\u03c2|É"
    ),
    "\\P{L}+": " |\u0663\xa0\u2028\x85\n\x0b| |\u0301_1😀|\u2167\xb2\u060c\u200d+| | | | | | | | ",
    "\\p{Nd}": "\u0663|1",
    "\\p{M}": "\u0301",
    "\\p{Greek}+": "\u03c3\u03a3\u03c2",
    "[\\p{Alpha}\\d]+": (
        "é|ß|\u017f\u212akK|s|1|\U0001d400\u2167|\u0130\u0131iI|SS|\ufb01fi|\ufb06|\u1e9e|office|"
        "\u017fs|\u03c3\u03a3\u03c2|É"
    ),
    "[\\P{L}K]+": " |\u0663\xa0\u2028\x85\n\x0b|K |\u0301_1😀|\u2167\xb2\u060c\u200d+| | | | | | | | ",
    "[^\\P{L}K]+": (
        "é|ß|\u017f\u212ak|s|\U0001d400|\u0130\u0131iI|SS|\ufb01fi|\ufb06|\u1e9e|office|\u017fs|"
        "\u03c3\u03a3\u03c2|É"
    ),
    "(?i)k+": "\u212akK",
    "(?i)s": "\u017f|s|S|S|\u017f|s",
    "(?i)i": "i|I|i|i",
    "(?i)ss": "ß|SS|\u017fs",
    "(?i)ß": "ß|SS|\u017fs",
    "(?i)\u1e9e": "\u1e9e",
    "(?i)fi": "\ufb01|fi|fi",
    "(?i)office": "office",
    "(?i)oFFi": "offi",
    "(?i)st": "\ufb06",
    "(?i)s+": "\u017f|s|SS|\u017fs",
    "(?i)[a-z]+": "\u017f\u212akK|s|iI|SS|fi|office|\u017fs",
    "(?i)[^k]+": (
        "é ß\u0663\xa0\u2028\x85\n\x0b\u017f| s\u0301_1😀\U0001d400\u2167\xb2\u060c\u200d+\u0130"
        "\u0131iI SS \ufb01fi \ufb06 \u1e9e office \u017fs \u03c3\u03a3\u03c2 É"
    ),
    "(?i)[\\w]+": "\u017f\u212akK|s|_1|iI|SS|fi|office|\u017fs",
    "(?i)\\w+": "kK|s|_1|iI|SS|fi|office|s",
    "(?i)\\W+": (
        "é ß\u0663\xa0\u2028\x85\n\x0b\u017f\u212a| |\u0301|😀\U0001d400\u2167\xb2\u060c\u200d+"
        "\u0130\u0131| | \ufb01| \ufb06 \u1e9e | \u017f| \u03c3\u03a3\u03c2 É"
    ),
    "(?i)É": "é|É",
    "(?i)[\xe0-\xfd]": "é|É",
    "(?i)\u03c3+": "\u03c3\u03a3\u03c2",
    "(?i)[\u03c3]+": "\u03c3\u03a3\u03c2",
    "(?i)\u0131": "\u0131",
    "(?i)\\p{Lu}+": "\u212a|K|\U0001d400|\u0130|I|SS|\u1e9e|\u03a3|É",
    "(?i)[[:alpha:]]+": (
        "é|ß|\u017f\u212akK|s|\U0001d400\u2167|\u0130\u0131iI|SS|\ufb01fi|\ufb06|\u1e9e|office|"
        "\u017fs|\u03c3\u03a3\u03c2|É"
    ),
    "(?i:k)K": "kK",
    "(?i)k(?-i)k": "\u212ak",
    "(?i)\\Qfi\\E": "\ufb01|fi|fi",
    "(?i)s\\x{17f}": "SS|\u017fs",
    "(?i)s(?:s)": "SS|\u017fs",
    "😀": "😀",
    "[😀\U0001d400]+": "😀\U0001d400",
    "[^😀\\n]+": (
        "é ß\u0663\xa0\u2028\x85|\x0b\u017f\u212akK s\u0301_1|\U0001d400\u2167\xb2\u060c\u200d+"
        "\u0130\u0131iI SS \ufb01fi \ufb06 \u1e9e office \u017fs \u03c3\u03a3\u03c2 É"
    ),
    "\\x{1F600}": "😀",
    ".+": (
        "é ß\u0663\xa0\u2028\x85|\x0b\u017f\u212akK s\u0301_1😀\U0001d400\u2167\xb2\u060c\u200d+"
        "\u0130\u0131iI SS \ufb01fi \ufb06 \u1e9e office \u017fs \u03c3\u03a3\u03c2 É"
    ),
    "(?s).+": (
        "é ß\u0663\xa0\u2028\x85\n\x0b\u017f\u212akK s\u0301_1😀\U0001d400\u2167\xb2\u060c\u200d+"
        "\u0130\u0131iI SS \ufb01fi \ufb06 \u1e9e office \u017fs \u03c3\u03a3\u03c2 É"
    ),
    "(?x) s . # any": "s\u0301|s ",
    "[a-zK&&[^s]]+": "kK|i|fi|office",
    "[^a-z&&[^s]]+": (
        "é ß\u0663\xa0\u2028\x85\n\x0b\u017f\u212a|K s\u0301_1😀\U0001d400\u2167\xb2\u060c\u200d+"
        "\u0130\u0131|I SS \ufb01| \ufb06 \u1e9e | \u017fs \u03c3\u03a3\u03c2 É"
    ),
    "(?m)^.": "é|\x0b",
    "[]s]+": "s|s",
    "s.\\b": "s ",
    "(?<=\\p{Alpha})\\p{Alpha}": "\u212a|k|K|\u2167|\u0131|i|I|S|f|i|f|f|i|c|e|s|\u03a3|\u03c2",
    "(?<!.)\\W|(?<=😀).": "é|\x0b|\U0001d400",
    "(?<=\\u017f)\\u212a": "\u212a",
    "(.)\\1": "SS|ff",
}
ALL = {pattern: matches.split("|") for pattern, matches in MATCHES.items()}
REFUSED = [
    "[a-c-e]",
    "(?i)\u0130",
    "(?i)[ß]",
    "(?i)[\\W]",
    "(?i)[[:upper:]]",
    "(?i)[\\p{Ll}]",
    "\\p{IsAlphabetic}",
    "(?u)s",
    "\\xe9",
    "a(?i)b|c",
    "(?i)(s)\\1",
    "(?i)sß",
    "(?i)\u0390",
    "\\uD83D",
    "[a\\b]",
    "\\cA",
]


def _unicode(text: str) -> str:
    return "U&'" + "".join(f"\\+{ord(c):06X}" for c in text) + "'"


@pytest.mark.spark
def test_matches_are_those_of_trino(connection: Connection) -> None:
    calls = ", ".join(f"regexp_extract_all(x, {_unicode(pattern)})" for pattern in ALL)
    sql = f"SELECT {calls} FROM (VALUES {_unicode(TEXT)}, {_unicode(TEXT)}) AS t (x)"
    for row in connection.execute(sql).fetchall():
        assert dict(zip(ALL, row, strict=True)) == ALL


def test_the_fast_lane_has_the_same_or_none() -> None:
    connection = duckdb.connect()
    connection.register("texts", pa.table({"s": [TEXT]}))
    row = lookup("regexp_extract_all")
    assert row is not None
    compared = 0
    for pattern, expected in ALL.items():
        call = Call(VARCHAR, "regexp_extract_all", (Literal(VARCHAR, None), Literal(VARCHAR, pattern)))
        try:
            sql = restore(render(row, call, ("s", "")))
        except NotSupported:
            continue
        assert connection.execute(f"SELECT {sql} FROM texts").fetchall() == [(expected,)], pattern
        compared += 1
    assert compared > 25


@pytest.mark.parametrize("pattern", REFUSED)
def test_what_java_cannot_say_is_refused(pattern: str) -> None:
    with pytest.raises(NotSupported):
        java_pattern(pattern)


@pytest.mark.parametrize("pattern", ["[b-a]", "[a", "[[:letters:]]", "a(?i)+"])
def test_what_is_no_pattern(pattern: str) -> None:
    with pytest.raises(SqeError) as error:
        java_pattern(pattern)
    assert error.value.code == "INVALID_FUNCTION_ARGUMENT"


@pytest.mark.spark
def test_nothing_is_found_within_a_character(connection: Connection) -> None:
    calls = "regexp_replace(x, 'b*|c', '-'), regexp_count(x, 'b*'), regexp_extract_all(x, '[[:alpha:]]*')"
    rows = connection.execute(f"SELECT {calls} FROM (VALUES 'a😀', 'a😀') AS t (x)").fetchall()
    assert rows == [("-a-😀-", 3, ["a", "", ""])] * 2


@pytest.mark.spark
def test_a_loop_over_a_named_set_may_match_nothing(connection: Connection) -> None:
    with pytest.raises(SqeError) as error:
        connection.execute("SELECT regexp_split('a1', '[[:alpha:]]*')").fetchall()
    assert error.value.code == "NOT_SUPPORTED"
