"""Builds the firmware's hardware-free C code for the host, under the sanitizers."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

HERE = Path(__file__).parent
COMPONENTS = HERE.parents[1] / "firmware" / "components"

Compile = Callable[..., Path]


@pytest.fixture(scope="session")
def compile_harness(tmp_path_factory: pytest.TempPathFactory) -> Compile:
    """Compiles a harness of this directory with the sources of some components."""
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler for the host")
    directory = tmp_path_factory.mktemp("host")

    def compile_(harness: str, *components: str) -> Path:
        sources = [source for name in components for source in (COMPONENTS / name).glob("*.c")]
        includes = [f"-I{path}" for path in sorted(COMPONENTS.glob("*/include"))]
        executable = directory / harness
        subprocess.run(
            [
                compiler, "-std=gnu17", "-O1", "-g", "-Wall", "-Wextra", "-Werror",
                "-fsanitize=address,undefined", "-fno-sanitize-recover=all",
                f"-I{HERE / 'stubs'}", *includes, "-o", executable,
                HERE / f"{harness}.c", *sorted(sources),
            ],
            check=True,
        )  # fmt: skip
        return executable

    return compile_
