"""Keys that the catalog vends open one table, to read or to write; the object store's log has them."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pytest
from pyarrow.fs import FileSelector
from tests.stack.lake import Lake
from tests.stack.tables import Stored, new_table, objects_with, pyiceberg, vended

pytestmark = pytest.mark.integration


@pytest.fixture(scope="module")
def customers(lake: Lake) -> Iterator[Stored]:
    with new_table(lake, "sales") as table:
        yield table


@pytest.fixture
def session_policies(lake: Lake) -> None:
    if lake.servers and lake.servers["s3"].facts.get("session_policies") == "ignored":
        pytest.skip("moto ignores the policies of sessions")


def test_alice_reads_her_table(lake: Lake, orders: Stored) -> None:
    objects = objects_with(vended(lake, "alice", orders))
    assert b"table-uuid" in objects.open_input_file(orders.key).read()
    assert objects.get_file_info(FileSelector(f"{orders.directory}/metadata"))


@pytest.mark.usefixtures("session_policies")
@pytest.mark.parametrize("user", ["alice", "bob"])
def test_keys_are_refused_outside_of_their_table(
    lake: Lake, orders: Stored, customers: Stored, salaries: Stored, user: str
) -> None:
    objects = objects_with(vended(lake, user, orders))
    for other in (customers, salaries):
        with pytest.raises(OSError, match="ACCESS_DENIED"):
            objects.open_input_file(other.key)
        with pytest.raises(OSError, match="ACCESS_DENIED"):
            objects.get_file_info(FileSelector(other.directory))
        with pytest.raises(OSError, match="ACCESS_DENIED"):
            objects.open_output_stream(f"{other.directory}/data/new").close()


@pytest.mark.usefixtures("session_policies")
def test_keys_of_a_reader_do_not_write(lake: Lake, orders: Stored) -> None:
    objects = objects_with(vended(lake, "alice", orders))
    with pytest.raises(OSError, match="ACCESS_DENIED"):
        objects.open_output_stream(f"{orders.directory}/data/new").close()
    with pytest.raises(OSError, match="ACCESS_DENIED"):
        objects.delete_file(orders.key)
    assert objects.get_file_info(orders.key).is_file


def test_wrong_keys_are_refused(lake: Lake, orders: Stored) -> None:
    keys = {**vended(lake, "alice", orders), "s3.secret-access-key": "x" * 40}
    with pytest.raises(OSError, match=r"ACCESS_DENIED|SIGNATURE_DOES_NOT_MATCH|403"):
        objects_with(keys).open_input_file(orders.key)


def test_the_log_has_the_key_of_each_object(lake: Lake, orders: Stored) -> None:
    keys = {user: vended(lake, user, orders) for user in ("alice", "bob")}
    for user in keys:
        objects_with(keys[user]).open_input_file(orders.key).read()
    log = lake.object_log()
    for user in keys:
        key = keys[user]["s3.access-key-id"]
        reads = [line for line in log if line["access_key"] == key and line["method"] == "GET"]
        assert [(line["object"], line["status"]) for line in reads] == [(orders.key, 206)]
    text = str(log)
    for each in keys.values():
        assert each["s3.secret-access-key"] not in text and each["s3.session-token"] not in text


def test_pyiceberg_reads_and_writes_as_each_user(lake: Lake) -> None:
    with new_table(lake, "sales") as table:
        name = (table.namespace, table.name)
        writer = pyiceberg(lake, "bob").load_table(name)
        writer.append(pa.table({"id": [1, 2], "name": ["a", "b"]}))
        reader = pyiceberg(lake, "alice").load_table(name)
        assert sorted(reader.scan().to_arrow()["id"].to_pylist()) == [1, 2]
        with pytest.raises(Exception, match=r"(?i)access|not allowed|forbidden"):
            reader.append(pa.table({"id": [3], "name": ["c"]}))
        assert pyiceberg(lake, "bob").load_table(name).scan().count() == 2


def test_data_is_read_and_written_with_vended_keys_alone(lake: Lake) -> None:
    with new_table(lake, "sales") as table:
        name = (table.namespace, table.name)
        pyiceberg(lake, "bob").load_table(name).append(pa.table({"id": [1], "name": ["a"]}))
        pyiceberg(lake, "alice").load_table(name).scan().to_arrow()
        data = [line for line in lake.object_log() if line["object"].startswith(f"{table.directory}/data/")]
        writers = {line["access_key"] for line in data if line["method"] == "PUT"}
        readers = {line["access_key"] for line in data if line["method"] == "GET"}
        assert writers and readers and not writers & readers
        assert lake.servers["s3"].facts["access_key"] not in writers | readers
