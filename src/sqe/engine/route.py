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


def route(question: Question, preference: str, lanes: Sequence[Lane]) -> Choice | None:
    """The first of `lanes` that may answer; None where the statement needs no engine. `preference` is
    what the session asks for: a lane's name, or auto."""
    capable = [lane for lane in lanes if lane.name in question.tree.lanes]
    reason = ""
    if any(lane.name == preference for lane in capable) and len(capable) > 1:
        capable = [lane for lane in capable if lane.name == preference]
        reason = "the session asks for it" if preference == "spark" else ""
    for number, lane in enumerate(capable):
        candidate = lane.eligible(question)
        if isinstance(candidate, Candidate):
            answer = Route(lane.name, reason or candidate.reason)
            return Choice(answer, lane, candidate, tuple(capable[number + 1 :]))
        reason = candidate
    if not capable:
        return None
    raise _unanswered(preference, reason)


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


def _unanswered(lane: str, reason: str) -> NotSupported:
    return NotSupported(f"the {lane} lane cannot answer this: {reason}", hint="SET SESSION lane = 'auto'")
