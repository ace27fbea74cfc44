import type { Command } from "commander";
import type { DocsOptions } from "./docs.ts";

/** Adds `engage docs`. */
export function addDocs(program: Command): void {
  program
    .command("docs")
    .description("list, search and print the documentation")
    .argument("[page]", "page to print, such as operations or start/analyst")
    .option("--search <text>", "list the headings of parts that contain this text")
    .option("--json", "print one JSON object per line")
    .addHelpText("after", "\nA running server shows the same pages at /docs/.")
    .action(async (page: string | undefined, options: DocsOptions) => {
      const { printDocs } = await import("./docs.ts");
      await printDocs(page, options, process.stdout);
    });
}
