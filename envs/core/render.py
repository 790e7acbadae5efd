"""Renderers of scenes: SVG, pixels, animated pictures and a window. All draw the same page.

* `to_svg` needs no library but Pillow's font for measuring;
* `to_rgb` and `to_gif` draw with Pillow, without a display (why Pillow: see ``render_pixels.py``);
* `Window` is the only thing here that opens a window, and only when it first shows a picture.
"""

from broodmind.envs.core.render_pixels import framed, to_gif, to_rgb
from broodmind.envs.core.render_svg import to_svg
from broodmind.envs.core.render_window import Window

__all__ = ["Window", "framed", "to_gif", "to_rgb", "to_svg"]
