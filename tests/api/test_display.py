"""A cursor in a notebook and at the prompt."""

from __future__ import annotations

from pathlib import Path

import pytest

import sqe


@pytest.mark.spark
def test_a_table_of_the_first_rows(connection: sqe.Connection) -> None:
    cursor = connection.execute(
        "SELECT n, NULL AS nothing, '<b>&' AS \"<name>\", X'00ff' AS bytes, ARRAY[n] AS many"
        " FROM TABLE(sequence(1, 30)) AS t (n) ORDER BY n"
    )
    html = cursor._repr_html_()
    assert html.count("<tr>") == 22
    assert "<th>n<br><small>bigint</small></th>" in html
    assert "<th>&lt;name&gt;<br><small>varchar(4)</small></th>" in html
    assert '<td style="text-align: right">1</td><td><em>NULL</em></td><td>&lt;b&gt;&amp;</td>' in html
    assert "<td>00ff</td><td>[1]</td>" in html
    assert "the first 20 rows; there are more" in html
    # Looking is not reading.
    assert len(cursor.fetchall()) == 30
    assert repr(cursor) == (
        "<sqe.Cursor: n bigint, nothing unknown, <name> varchar(4), bytes varbinary, many array(bigint)>"
    )


@pytest.mark.spark
def test_all_rows_where_they_are_few(connection: sqe.Connection) -> None:
    assert ">1 row<" in connection.execute("SELECT 1 AS a")._repr_html_()
    assert ">0 rows<" in connection.execute("SELECT 1 AS a WHERE false")._repr_html_()
    long = connection.execute("SELECT rpad('', 1000, 'x') AS a")._repr_html_()
    assert "x" * 200 + "…" in long and "x" * 201 not in long


def test_what_is_no_table(tmp_path: Path) -> None:
    with sqe.connect(warehouse=tmp_path) as connection:
        cursor = connection.cursor()
        assert repr(connection) == "<sqe.Connection>"
        assert (repr(cursor), cursor._repr_html_()) == ("<sqe.Cursor>", "<pre>nothing was executed</pre>")
        cursor.execute("CREATE TABLE t (a integer)")
        assert repr(cursor) == "<sqe.Cursor: CREATE TABLE>"
        assert cursor._repr_html_() == "<pre>CREATE TABLE</pre>"
        cursor.execute("DELETE FROM t")
        assert cursor._repr_html_() == "<pre>DELETE: 0 rows</pre>"
        with pytest.raises(sqe.ProgrammingError):
            cursor.execute("SELECT b FROM t")
        assert "COLUMN_NOT_FOUND" in cursor._repr_html_()
        cursor.close()
        assert cursor._repr_html_() == "<pre>&lt;sqe.Cursor, closed&gt;</pre>"
