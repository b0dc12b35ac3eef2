"""The options of `gpiorig completion`."""

from __future__ import annotations

import argparse

EPILOG = """\
examples:
  gpiorig completion bash > ~/.local/share/bash-completion/completions/gpiorig
  gpiorig completion zsh > ~/.zfunc/_gpiorig          a folder of `fpath`, before `compinit`
  gpiorig completion fish > ~/.config/fish/completions/gpiorig.fish

Commands, options, their values, names of benches and experiments, and files are completed."""

SHELLS = ("bash", "zsh", "fish")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The shell."""
    parser.add_argument("shell", choices=SHELLS, help="the shell that reads the script")
