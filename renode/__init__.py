"""Hardware as Truestage sees it: models that both engines run, and Renode's own platform files."""
