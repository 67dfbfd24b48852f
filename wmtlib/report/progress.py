"""Progress on a terminal."""

import sys
from typing import Any


class Progress:
    """The step, its completed share, the time that is left; elsewhere nothing."""

    bar: Any = None

    def __call__(self, step: str, share: float = 0.0) -> None:
        """Show the completed share of a step; "" ends the line."""
        if not sys.stderr.isatty():
            return
        from tqdm import tqdm

        words = "".join(filter(str.isprintable, step))[:70]
        if self.bar is None:
            form = "{desc} {percentage:.0f}% {remaining} left"
            self.bar = tqdm(total=1.0, desc=words, bar_format=form, leave=False)
        if not step:
            self.bar.close()
        elif words != self.bar.desc:
            self.bar.reset()
            self.bar.set_description_str(words)
        self.bar.update(share - self.bar.n)
