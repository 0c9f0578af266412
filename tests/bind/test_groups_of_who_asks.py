"""current_groups() is of who asks, and a constant of the statement."""

from __future__ import annotations

from dataclasses import replace

from sqe.api.connection import connect


def test_groups_are_those_of_the_session() -> None:
    with connect(memory=True) as connection:
        session = connection.session
        session.identity = replace(session.identity, groups=frozenset({"ops", "finance"}))
        sql = "SELECT current_groups(), contains(current_groups(), 'ops')"
        assert connection.execute(sql).fetchall() == [(["finance", "ops"], True)]
        session.identity = replace(session.identity, groups=frozenset({"sales"}))
        assert connection.execute(sql).fetchall() == [(["sales"], False)]
