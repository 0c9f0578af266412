"""Views as the user of a statement reads them, for listings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from sqe.bind.binder import Binder
from sqe.catalog.iceberg.table import Column
from sqe.catalog.iceberg.view import View


class ViewReader:
    def __init__(self, binder: Binder) -> None:
        self._binder = binder

    def columns(self, view: View) -> Sequence[Column]:
        """As its text reads for this user: columns that are hidden from them are not in it."""
        from sqe.bind.views.inline import inline

        relation = inline(replace(self._binder, inlined=Counter()), view, None)
        comments = {c.name: c.comment for c in view.columns}
        return [
            Column(f.name, f.type, True, comments.get(f.name), i) for i, f in enumerate(relation.fields, 1)
        ]

    def shows_text(self, view: View) -> bool:
        from sqe.bind.views import inline

        return inline.shows_text(self._binder, view)
