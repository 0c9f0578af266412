"""Where the files of a table may be, whatever its metadata says: the server that keeps it may name any place,
a file of this machine too."""

from __future__ import annotations

from collections.abc import Sequence

from sqe.catalog.io import resolve
from sqe.catalog.io.location import is_within, scheme_of
from sqe.errors import AccessDenied, InvalidArgument, NotSupported
from sqe.foundation.record import record


@record
class AllowedPlaces:
    """As the configuration of a catalog says. `locations` are the only ones where files may be, if there are
    any; `keyed` are further ones that the keys of the configuration are for."""

    catalog: str
    locations: tuple[str, ...] = ()
    keyed: tuple[str, ...] = ()

    def of_table(self, location: str, vended: Sequence[str] = ()) -> TablePlaces:
        """Of a table at `location`, for which a catalog has handed out keys for the prefixes `vended`."""
        return TablePlaces(self, location, tuple(vended))


@record
class TablePlaces:
    """Of one table. Where no place is configured, it is its own bucket and those that there are keys for."""

    allowed: AllowedPlaces
    location: str
    vended: tuple[str, ...]

    def check(self, location: str) -> None:
        """AccessDenied for a file that is elsewhere."""
        if self.allowed.locations:
            within = _holder(location, self.allowed.locations) is not None
        elif scheme_of(location) == "file":
            within = False
        else:
            within = (
                _holder(location, [_bucket(place) for place in (self.location, *self.vended)]) is not None
            )
        if not within:
            raise AccessDenied(
                f"'{location}' is not a place for files of catalog '{self.allowed.catalog}'",
                hint=f"catalogs.{self.allowed.catalog}.allowed_locations names such places",
            )

    def keys_for(self, location: str) -> str:
        """The configured place that holds it, and that the keys of the configuration are for."""
        holder = _holder(location, (*self.allowed.locations, *self.allowed.keyed))
        if holder is None:
            raise AccessDenied(
                f"there are no keys for '{location}': the catalog hands out none, and the configuration's are"
                " for other places",
                hint=f"catalogs.{self.allowed.catalog}.allowed_locations says which they are for",
            )
        return holder


def _holder(location: str, places: Sequence[str]) -> str | None:
    try:
        resolved = resolve(location)
    except (InvalidArgument, NotSupported):
        # Nobody can say where that is.
        return None
    return next((place for place in places if place and _is_in(resolved, place)), None)


def _is_in(resolved: str, place: str) -> bool:
    try:
        return is_within(resolved, resolve(place))
    except (InvalidArgument, NotSupported):
        return False


def _bucket(location: str) -> str:
    """What all locations in one store begin with; nothing for local ones, which are never alike."""
    scheme, separator, rest = location.partition("://")
    bucket = rest.partition("/")[0]
    return f"{scheme}://{bucket}" if separator and bucket and scheme.lower() != "file" else ""
