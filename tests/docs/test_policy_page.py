"""The page on policies is run, statement by statement, as the users that it names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from sqe.api.connection import Connection
from sqe.catalog.catalogs import embedded
from sqe.config.config import load
from sqe.coordinator import Coordinator
from sqe.engine.spark.spark import Spark
from sqe.policy.configured import from_config
from sqe.policy.masks import MASKS
from sqe.session import Identity
from sqe.sql.split import split

pytestmark = pytest.mark.spark
PAGE = (Path(__file__).parents[2] / "docs" / "policy.md").read_text()
USERS = {
    "root": Identity("root", roles=frozenset({"admin"})),
    "joe": Identity("joe", roles=frozenset({"analyst"})),
}


@pytest.fixture
def house(tmp_path: Path, spark_lane: Spark) -> Iterator[dict[str, Connection]]:
    (settings,) = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    (tmp_path / "sqe.toml").write_text(settings.replace("/var/lib/sqe", str(tmp_path)))
    config = load(tmp_path / "sqe.toml", {})
    coordinator = Coordinator(
        config, embedded(warehouse=tmp_path / "w"), policy=from_config(config), spark=spark_lane
    )
    yield {name: Connection(coordinator, identity) for name, identity in USERS.items()}
    coordinator.close()


def test_what_the_page_says_happens(house: dict[str, Connection]) -> None:
    blocks = re.findall(r"```sql\n-- as (\w+)\n(.*?)```", PAGE, re.DOTALL)
    assert [user for user, _ in blocks] == ["root", "joe", "root", "joe"]
    for user, text in blocks:
        answers = re.findall(r"^-- (.*)$", text, re.MULTILINE)
        shown = []
        for statement in split(re.sub(r"^--.*$", "", text, flags=re.MULTILINE)):
            cursor = house[user].execute(statement.text)
            if cursor.description is not None:
                shown += [", ".join(map(str, row)) for row in cursor.fetchall()]
        assert shown == answers


def test_every_mask_is_on_the_page() -> None:
    table = PAGE.partition("## Masks")[2].partition("##")[0]
    assert set(re.findall(r"`([a-z0-9-]+)`", table)) >= set(MASKS)
