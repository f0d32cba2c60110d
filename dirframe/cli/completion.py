"""The command that prints shell completion scripts."""

from __future__ import annotations

import click

from dirframe.cli.options import command


@command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print the shell completion script.

    \b
    Examples:
      dirframe completion bash >> ~/.bashrc
      dirframe completion zsh >> ~/.zshrc
      dirframe completion fish > ~/.config/fish/completions/dirframe.fish
    """
    from click.shell_completion import shell_complete

    program = context.find_root().command
    shell_complete(program, {}, "dirframe", "_DIRFRAME_COMPLETE", f"{shell}_source")
