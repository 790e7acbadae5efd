"""A window on the screen, the only place that opens one. It needs pygame (the extra ``human``)."""

from __future__ import annotations

import contextlib
import io
from typing import Any

import numpy as np
from numpy.typing import NDArray

from broodmind.envs.core.errors import BroodmindError

SCREEN_SHARE = 0.9
"""How much of the screen's width and height a new window takes at most."""


class Window:
    """Shows pictures in a window, which opens with the first picture and can be resized.

    Args:
        title: The window's title.

    Raises:
        BroodmindError: pygame is not installed.
    """

    def __init__(self, title: str = "broodmind") -> None:
        try:
            # pygame greets whoever imports it; standard output is not ours to write to.
            with contextlib.redirect_stdout(io.StringIO()):
                import pygame
        except ImportError as error:
            raise BroodmindError(
                "render_mode 'human' needs pygame, which is not installed: pip install 'broodmind[human]', "
                "or use render_mode 'rgb_array' or 'ansi'"
            ) from error
        self._pygame: Any = pygame
        self._title = title
        self._surface: Any = None
        self._closed = False

    @property
    def closed(self) -> bool:
        """Whether the window was closed, by `close` or by the person at the screen."""
        return self._closed

    def show(self, rgb: NDArray[np.uint8]) -> None:
        """Show a picture and let the window react; nothing happens once the window is closed.

        Args:
            rgb: uint8 array (height, width, 3).

        Raises:
            BroodmindError: There is no display to open a window on.
        """
        if self._closed:
            return
        pygame = self._pygame
        if self._surface is None:
            try:
                pygame.display.init()
                self._surface = pygame.display.set_mode(self._first_size(rgb), pygame.RESIZABLE)
            except pygame.error as error:
                raise BroodmindError(
                    f"no window can be opened here ({error}): use render_mode 'rgb_array' or 'ansi'"
                ) from error
            pygame.display.set_caption(self._title)
        for event in pygame.event.get():
            if event.type == pygame.QUIT:
                self.close()
                return
        picture = pygame.surfarray.make_surface(np.ascontiguousarray(rgb.swapaxes(0, 1)))
        self._surface = pygame.display.get_surface()
        width, height = self._surface.get_size()
        scale = min(width / rgb.shape[1], height / rgb.shape[0])
        if scale != 1:
            picture = pygame.transform.smoothscale(
                picture, (max(1, round(rgb.shape[1] * scale)), max(1, round(rgb.shape[0] * scale)))
            )
        self._surface.fill((255, 255, 255))
        self._surface.blit(
            picture, ((width - picture.get_width()) // 2, (height - picture.get_height()) // 2)
        )
        pygame.display.flip()

    def _first_size(self, rgb: NDArray[np.uint8]) -> tuple[int, int]:
        """Return the size of the window: that of the picture, or as much of it as the screen has room for."""
        height, width = rgb.shape[:2]
        screen = self._pygame.display.Info()
        if screen.current_w <= 0 or screen.current_h <= 0:  # unknown
            return width, height
        scale = min(1.0, SCREEN_SHARE * screen.current_w / width, SCREEN_SHARE * screen.current_h / height)
        return max(1, round(width * scale)), max(1, round(height * scale))

    def close(self) -> None:
        """Close the window; further pictures are not shown."""
        if self._surface is not None:
            self._pygame.display.quit()
            self._surface = None
        self._closed = True
