import type { Command } from "commander";
import type { InitOptions } from "./init.ts";

/** Adds `engage init`. */
export function addInit(program: Command): void {
  program
    .command("init")
    .description("ask a few questions and write engage.yaml")
    .argument("[file]", "file to write (default: engage.yaml)")
    .option("--listen <address>", "host and port of the server")
    .option("--data <folder>", "folder for everything that the server stores")
    .option("--project <name>", "name of the first project")
    .option("--appid <id>", "app id by which SDKs send events to it")
    .option("--zone <zone>", "zone of its days, such as Europe/Berlin or +08:00")
    .option("--webhook <name>", "channel for webhooks of the engagement platform")
    .option("--yes", "ask nothing: take the given values and the proposed ones")
    .option("--force", "replace an existing file")
    .option("--json", "print one JSON object")
    .addHelpText(
      "after",
      `
The file has a comment on each setting, and only its owner can read it. The query token, and the key
when other machines reach the server, are printed once; the file has their digests.`,
    )
    .action(async (file: string | undefined, options: InitOptions) => {
      const { runInit } = await import("./init.ts");
      const { stdin, stdout, stderr } = process;
      await runInit(file ?? "engage.yaml", options, { stdin, stdout, stderr, cwd: process.cwd() });
    });
}
