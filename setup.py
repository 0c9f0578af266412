"""Compiles the protocol's messages beside their sources; the rest is in pyproject.toml."""

from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

SOURCES = Path(__file__).parent / "src"


class BuildWithMessages(build_py):
    def run(self) -> None:
        from grpc_tools import protoc

        known = Path(protoc.__file__).parent / "_proto"
        protos = sorted(str(path) for path in (SOURCES / "sqe" / "doors" / "flight").glob("*.proto"))
        flags = [f"-I{SOURCES}", f"-I{known}", f"--python_out={SOURCES}", f"--pyi_out={SOURCES}"]
        if protoc.main(["protoc", *flags, *protos]) != 0:
            raise SystemExit("the messages of doors/flight cannot be compiled")
        super().run()


setup(cmdclass={"build_py": BuildWithMessages})
