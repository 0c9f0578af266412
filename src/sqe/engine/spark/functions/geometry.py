"""Geometries in Spark SQL."""

from __future__ import annotations

from sqe.engine.render.opaque_renderings import geometry
from sqe.engine.render.renderings import Rendering

RENDERINGS: dict[str, Rendering] = geometry(tinyint="TINYINT", integer="INT")
