import { Argument, type Command } from "commander";

/** Adds `engage completion`. */
export function addCompletion(program: Command): void {
  program
    .command("completion")
    .description("print the completion of a shell for engage")
    .addArgument(new Argument("<shell>", "the shell").choices(["bash", "zsh", "fish"]))
    .addHelpText(
      "after",
      `
To load it at the start of each shell:
  bash  add to ~/.bashrc:  source <(engage completion bash)
  zsh   add to ~/.zshrc, after compinit:  source <(engage completion zsh)
  fish  engage completion fish > ~/.config/fish/completions/engage.fish`,
    )
    .action(async (shell: string) => {
      const { printCompletion } = await import("./completion.ts");
      printCompletion(program, shell, process.stdout);
    });
}
