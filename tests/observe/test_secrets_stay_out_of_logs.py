from __future__ import annotations

import pytest

from sqe.observe.redact import for_strangers, without_secrets


@pytest.mark.parametrize(
    "text",
    [
        "Authorization: Bearer hunter2",
        "authorization: Basic hunter2==",
        "grpc metadata ('authorization', 'Bearer hunter2')",
        "password=hunter2&user=joe",
        "password = 'hunter2'",
        "PASSWORD 'it''s hunter2'",
        "token: hunter2",
        "access_token=hunter2",
        "{'client_secret': 'hunter2', 'x': 1}",
        '{"refresh_token": "a \\"hunter2\\"", "x": 1}',
        r"{\"token\": \"hunter2\", \"n\": 1}",
        "CREATE SECRET s (TYPE aws, SECRET_ACCESS_KEY 'hunter2')",
        "SECRET_ACCESS_KEY => 'hunter2'",
        "password='cut off before its end hunter2",
        "postgresql://joe:hunter2@db.example/lake",
        "sc://host:15002/;token=hunter2;user_id=joe",
        "https://bucket.example/x?X-Amz-Signature=hunter2&X-Amz-Date=1",
        "got eyJhbGciOiJub25lIn0.eyJodW50ZXIyIn0.hunter2 from a peer",
        "key sqe_hunter2hunter2hunter2 is unknown",
        "set-cookie: hunter2; path=x",
        "Negotiate hunter2",
        "DIGEST hunter2",
        "PassPhrase: hunter2",
        "pa\u017f\u017fword=hunter2",
        "pwd=hunter2",
        "Credential=hunter2",
        "Private.Key=hunter2",
        "sas=hunter2",
        "?sig=hunter2",
    ],
)
def test_a_secret(text: str) -> None:
    assert "hunter2" not in without_secrets(text)


@pytest.mark.parametrize(
    "text",
    [
        "statement finished",
        "sqe_query_count_total is a metric",
        "table lake.sales.tokens_per_day has 3 rows",
        "the secret is out",
        "http://host:8080/v1/statement",
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    assert without_secrets(text) == text


def test_the_rest_of_the_text_stays() -> None:
    assert without_secrets("user=joe password=hunter2 from 10.0.0.1") == "user=joe password=*** from 10.0.0.1"


def test_strangers_are_told_neither_paths_nor_addresses() -> None:
    told = for_strangers(
        "no file /srv/lake/t.parquet, ~/x or C:\\x; see thrift://meta.example:9083\nand/or 3/4"
    )
    assert told == "no file <path>, <path> or <path>; see <address> and/or 3/4"
