"""Which lane answers a statement, and why."""

from __future__ import annotations

from collections.abc import Sequence

from sqe.engine.lane import Candidate, Lane, Question, Rendered
from sqe.errors import NotSupported
from sqe.foundation.record import record


@record
class Route:
    """`lane` is a lane's name, or catalog for what changes or reads metadata alone."""

    lane: str
    reason: str


METADATA_ALONE = Route("catalog", "metadata only: no engine is needed")


@record
class Choice:
    """A lane that may answer, the statement as it takes it, and those that may answer in its place."""

    route: Route
    lane: Lane
    candidate: Candidate
    others: tuple[Lane, ...]


def route(question: Question, asked: str, lanes: Sequence[Lane]) -> Choice | None:
    """The first of `lanes` that may answer; None where the statement needs no engine. `asked` is what the
    session wants: a lane's name, or auto."""
    able = [lane for lane in lanes if lane.name in question.tree.lanes]
    reason = ""
    if any(lane.name == asked for lane in able) and len(able) > 1:
        able = [lane for lane in able if lane.name == asked]
        reason = "the session asks for it" if asked == "spark" else ""
    for number, lane in enumerate(able):
        candidate = lane.eligible(question)
        if isinstance(candidate, Candidate):
            chosen = Route(lane.name, reason or candidate.reason)
            return Choice(chosen, lane, candidate, tuple(able[number + 1 :]))
        reason = candidate
    if not able:
        return None
    raise _unanswered(asked, reason)


def render(choice: Choice, question: Question) -> tuple[Route, Rendered]:
    """The text for the engine; where it has no way to say it, that of the next lane."""
    try:
        return choice.route, choice.lane.render(choice.candidate)
    except NotSupported as refused:
        if choice.lane.name == "spark":
            raise
        reason = str(refused)
    for lane in choice.others:
        candidate = lane.eligible(question)
        if isinstance(candidate, Candidate):
            return Route(lane.name, reason), lane.render(candidate)
    raise _unanswered(choice.lane.name, reason)


def _unanswered(asked: str, reason: str) -> NotSupported:
    return NotSupported(f"the {asked} lane cannot answer this: {reason}", hint="SET SESSION lane = 'auto'")
