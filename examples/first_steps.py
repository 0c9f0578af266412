"""First steps with SQE in Python: make a table, fill it, ask it, and look back in time.

python examples/first_steps.py
"""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import sqe

ORDERS = [
    (1, "EU", Decimal("12.50"), dt.date(2026, 4, 1), ["new"]),
    (2, "US", Decimal("7.25"), dt.date(2026, 4, 2), []),
    (3, "EU", Decimal("30.00"), dt.date(2026, 5, 1), ["new", "gift"]),
]


def main() -> None:
    # Tables in memory=True go with the connection; warehouse="path" keeps them.
    with sqe.connect(memory=True) as connection:
        connection.execute(
            "CREATE TABLE orders"
            " (id bigint, region varchar, amount decimal(10,2), day date, tags array(varchar))"
        )
        # One commit for all rows.
        inserted = connection.executemany("INSERT INTO orders VALUES (?, ?, ?, ?, ?)", ORDERS)
        print(f"{inserted.rowcount} orders")

        cursor = connection.execute(
            "SELECT region, count(*) AS orders, sum(amount) AS total"
            " FROM orders WHERE day >= ? GROUP BY region ORDER BY total DESC",
            [dt.date(2026, 1, 1)],
        )
        print(", ".join(f"{column.name} {column.type_code}" for column in cursor.description or ()))
        for region, orders, total in cursor:
            print(f"{region}: {orders} for {total}")

        # Every change is a snapshot, and stays readable.
        connection.execute("UPDATE orders SET region = 'APAC' WHERE id = 3")
        snapshots = connection.execute('SELECT snapshot_id FROM "orders$snapshots" ORDER BY committed_at')
        (first,) = snapshots.fetchone() or (None,)
        before = connection.execute(f"SELECT region FROM orders FOR VERSION AS OF {first} WHERE id = 3")
        after = connection.execute("SELECT region FROM orders WHERE id = 3")
        print("then", before.fetchone(), "now", after.fetchone())

        # Arrow, pandas and polars without a detour over Python's values.
        frame = connection.execute("SELECT id, amount, tags FROM orders ORDER BY id").df()
        print(frame.to_string(index=False))

        try:
            connection.execute("SELECT amont FROM orders")
        except sqe.ProgrammingError as error:
            print(error.code, f"at {error.position}:", error.hint)


if __name__ == "__main__":
    main()
