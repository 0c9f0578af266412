"""For tests whose REST servers keep files on this disk, or say that they are in S3."""

from __future__ import annotations

from sqe.catalog.io.places import AllowedPlaces

ANYWHERE = AllowedPlaces("lake", ("file:///", "s3://lake"))
