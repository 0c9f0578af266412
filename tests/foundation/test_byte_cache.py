from __future__ import annotations

from sqe.foundation.byte_cache import ByteCache


def test_what_was_used_last_is_kept_within_the_bytes() -> None:
    cache: ByteCache[str] = ByteCache(10, len)
    for key in ("a", "b", "c"):
        cache.put(key, key * 3)
    assert cache.get("a") == "aaa"
    cache.put("d", "dddd")
    assert [cache.get(key) for key in "abcd"] == ["aaa", None, "ccc", "dddd"]
    assert cache.bytes == 10


def test_of_a_subject_the_newest_is_kept() -> None:
    cache: ByteCache[str] = ByteCache(100, len)
    for version in range(5):
        cache.put(f"t{version}", "x" * version, of="t")
    cache.put("u0", "yy", of="u")
    assert (len(cache), cache.bytes) == (2, 6)
    assert cache.get("t3") is None and cache.get("t4") == "xxxx"


def test_what_is_larger_than_all_room_is_not_kept_nor_its_older_version() -> None:
    cache: ByteCache[str] = ByteCache(10, len)
    cache.put("t0", "x", of="t")
    cache.put("t1", "x" * 11, of="t")
    assert (len(cache), cache.bytes) == (0, 0)
    cache.put("a", "1")
    cache.put("a", "22")
    cache.remove(["a", "nosuch"])
    assert (len(cache), cache.bytes) == (0, 0)
