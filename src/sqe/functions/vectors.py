"""Arrays of doubles, and maps of names to doubles, as vectors."""

from __future__ import annotations

from sqe.functions.function import scalar

_PAIR = "(array(double), array(double)) -> double"
_MAPS = "(map(varchar, double), map(varchar, double)) -> double"


FUNCTIONS = (
    scalar(
        "dot_product", _PAIR, help="The sum of products", raises="vectors of different lengths, NULL in them"
    ),
    scalar(
        "euclidean_distance",
        _PAIR,
        help="The distance between two points",
        raises="vectors of different lengths, NULL in them",
    ),
    scalar(
        "cosine_similarity",
        _PAIR,
        _MAPS,
        help="The cosine of the angle between two vectors",
        raises="vectors of different lengths, of zero or NULL",
    ),
    scalar(
        "cosine_distance",
        _PAIR,
        help="1 less the cosine of the angle between two vectors",
        raises="vectors of different lengths, of zero or NULL",
    ),
)
