"""Arrays, and functions that take a lambda over them. Positions count from 1."""

from __future__ import annotations

from sqe.functions.function import scalar

_PREDICATE = "(array(T), function(T, boolean)) -> boolean"
_PAIR = "(array(E:comparable), array(E)) -> array(E)"


FUNCTIONS = (
    scalar(
        "cardinality",
        "(array(E)) -> bigint",
        "(map(K, V)) -> bigint",
        "(hyperloglog) -> bigint",
        "(setdigest) -> bigint",
        help="How many elements or entries there are; of a sketch, how many different values, about",
    ),
    scalar(
        "element_at",
        "(array(E), bigint) -> E",
        "(map(K, V), K) -> V",
        help="The element at a position (from the end if negative) or of a key; NULL where there is none",
        raises="index 0 of an array",
    ),
    scalar(
        "contains",
        "(array(T:comparable), T) -> boolean",
        help="Whether an element is there",
        raises="a NULL inside a value that is compared",
    ),
    scalar(
        "array_distinct", "(array(E:comparable)) -> array(E)", help="Each element once, at its first place"
    ),
    scalar(
        "array_sort",
        "(array(E:orderable)) -> array(E)",
        "(array(T), function(T, T, integer)) -> array(T)",
        help="Sorted, NULLs last, or by a function that compares two elements",
        raises="a NULL inside a value that is ordered, a comparator that returns NULL",
    ),
    scalar("array_union", _PAIR, help="The elements of either, each once"),
    scalar("array_intersect", _PAIR, help="The elements of both, each once"),
    scalar("array_except", _PAIR, help="The elements of the first only, each once"),
    scalar(
        "array_remove",
        "(array(E:comparable), E) -> array(E)",
        help="Without the elements that are equal to a value",
        raises="a NULL inside a value that is compared",
    ),
    scalar(
        "array_position",
        "(array(T:comparable), T) -> bigint",
        help="Where an element is first, from 1; 0 where it is not",
        raises="a NULL inside a value that is compared, instance 0",
    ),
    scalar(
        "arrays_overlap",
        "(array(E:comparable), array(E)) -> boolean",
        help="Whether two arrays have an element in common",
    ),
    scalar(
        "array_join",
        "(array(E), varchar) -> varchar",
        "(array(E), varchar, varchar) -> varchar",
        help="The elements as one text with a separator; NULLs left out, or replaced",
    ),
    scalar(
        "array_max",
        "(array(T:orderable)) -> T",
        help="The largest; NULL if any is",
        raises="a NULL inside a value that is ordered",
    ),
    scalar(
        "array_min",
        "(array(T:orderable)) -> T",
        help="The smallest; NULL if any is",
        raises="a NULL inside a value that is ordered",
    ),
    scalar(
        "slice",
        "(array(E), bigint, bigint) -> array(E)",
        help="So many elements from a position (from the end if negative)",
        raises="a start of 0, a negative length",
    ),
    scalar(
        "sequence",
        "(bigint, bigint) -> array(bigint)",
        "(bigint, bigint, bigint) -> array(bigint)",
        "(date, date) -> array(date)",
        "(date, date, interval day to second) -> array(date)",
        "(date, date, interval year to month) -> array(date)",
        "(timestamp(p), timestamp(p), interval day to second) -> array(timestamp(p))",
        "(timestamp(p), timestamp(p), interval year to month) -> array(timestamp(p))",
        help="The values from one to another, by a step",
        raises="a step that does not lead to the end, too many elements",
    ),
    scalar(
        "repeat",
        "(T, bigint) -> array(T)",
        help="An array of a value so many times",
        raises="a negative or large count",
    ),
    scalar("flatten", "(array(array(E))) -> array(E)", help="The elements of an array's arrays"),
    scalar("transform", "(array(T), function(T, U)) -> array(U)", help="f of each element"),
    scalar("filter", "(array(T), function(T, boolean)) -> array(T)", help="The elements for which f is true"),
    scalar(
        "reduce",
        "(array(T), S, function(S, T, S), function(S, R)) -> R",
        help="A state that f makes of each element in turn, and g of it at the end",
    ),
    scalar("any_match", _PREDICATE, help="Whether f is true of any element"),
    scalar("all_match", _PREDICATE, help="Whether f is true of all elements"),
    scalar("none_match", _PREDICATE, help="Whether f is true of no element"),
    scalar(
        "zip_with",
        "(array(T), array(U), function(T, U, R)) -> array(R)",
        help="f of the elements of two arrays, side by side; the shorter one filled with NULL",
    ),
    scalar(
        "combinations",
        "(array(T), integer) -> array(array(T))",
        help="The n-element subsets, n at most 5",
        raises="too many or too large combinations",
    ),
    scalar(
        "contains_sequence",
        "(array(T:comparable), array(T)) -> boolean",
        help="Whether one array stands in another, side by side",
    ),
    scalar(
        "ngrams",
        "(array(T), integer) -> array(array(T))",
        help="Each run of n neighbours",
        raises="a size that is not positive",
    ),
    scalar(
        "zip",
        "(array(A), array(B)) -> array(row(A, B))",
        "(array(A), array(B), array(C)) -> array(row(A, B, C))",
        "(array(A), array(B), array(C), array(D)) -> array(row(A, B, C, D))",
        "(array(A), array(B), array(C), array(D), array(E)) -> array(row(A, B, C, D, E))",
        help="Rows of the elements of arrays, side by side; the shorter ones filled with NULL",
    ),
    scalar("shuffle", "(array(E)) -> array(E)", help="In a random order"),
    scalar(
        "trim_array",
        "(array(E), bigint) -> array(E)",
        help="Without its last n elements",
        raises="a size outside the array",
    ),
    scalar(
        "array_histogram",
        "(array(T:comparable)) -> map(T, bigint)",
        help="A map of elements to how often they are",
    ),
)
