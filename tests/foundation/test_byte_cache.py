from __future__ import annotations

from sqe.foundation.byte_cache import Kept


def test_what_was_used_last_is_kept_within_the_bytes() -> None:
    kept: Kept[str] = Kept(10, len)
    for key in ("a", "b", "c"):
        kept.put(key, key * 3)
    assert kept.get("a") == "aaa"
    kept.put("d", "dddd")
    assert [kept.get(key) for key in "abcd"] == ["aaa", None, "ccc", "dddd"]
    assert kept.bytes == 10


def test_of_a_subject_the_newest_is_kept() -> None:
    kept: Kept[str] = Kept(100, len)
    for version in range(5):
        kept.put(f"t{version}", "x" * version, of="t")
    kept.put("u0", "yy", of="u")
    assert (len(kept), kept.bytes) == (2, 6)
    assert kept.get("t3") is None and kept.get("t4") == "xxxx"


def test_what_is_larger_than_all_room_is_not_kept_nor_its_older_version() -> None:
    kept: Kept[str] = Kept(10, len)
    kept.put("t0", "x", of="t")
    kept.put("t1", "x" * 11, of="t")
    assert (len(kept), kept.bytes) == (0, 0)
    kept.put("a", "1")
    kept.put("a", "22")
    kept.remove(["a", "nosuch"])
    assert (len(kept), kept.bytes) == (0, 0)
