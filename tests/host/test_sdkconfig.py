"""Both builds of the firmware get the same settings, and the sources use no others."""

import re

from tests.host.conftest import COMPONENTS

FIRMWARE = COMPONENTS.parent
KCONFIG = (FIRMWARE / "main" / "Kconfig.projbuild").read_text()


def test_the_build_without_kconfig_repeats_its_defaults() -> None:
    options = re.findall(
        r"config (TRUESTAGE_\w+)\n\s+int .*\n(?:\s+range .*\n)?\s+default (\d+)", KCONFIG
    )
    settings = re.findall(
        r"^CONFIG_(TRUESTAGE_\w+)=(\d+)$", (FIRMWARE / "sdkconfig.defaults").read_text(), re.M
    )
    assert len(options) == KCONFIG.count(" int ")
    assert dict(settings) == dict(options)


def test_every_setting_is_declared_and_used() -> None:
    sources = [*FIRMWARE.glob("components/**/*.[ch]"), *FIRMWARE.glob("main/*.c")]
    used = set(
        re.findall(
            r"CONFIG_(TRUESTAGE_[A-Z0-9_]*[A-Z0-9])\b",
            "".join(path.read_text() for path in sources),
        )
    )
    declared = set(re.findall(r"config (TRUESTAGE_\w+)", KCONFIG))
    assert used - {"TRUESTAGE_VARIANT"} == declared
