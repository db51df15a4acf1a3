"""Chips on the board, by the name a board file gives them."""

from renode.peripherals.chips.es8388 import ES8388
from renode.peripherals.chips.ssd1306 import SSD1306

CHIPS: dict[str, type[ES8388] | type[SSD1306]] = {"es8388": ES8388, "ssd1306": SSD1306}

__all__ = ["CHIPS", "ES8388", "SSD1306"]
