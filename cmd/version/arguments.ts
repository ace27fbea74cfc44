import type { Command } from "commander";
import { type Common, command, optionsOf, withServer } from "../arguments.ts";
import type { VersionOptions } from "./version.ts";

/** Adds `engage version`. */
export function addVersion(program: Command): void {
  withServer(command(program, "version", "print the version of engage, here or in a server"), 30_000)
    .option("--server", "ask a running server")
    .option("--json", "print one JSON object")
    .action(async (options: Common & VersionOptions) => {
      const { printVersion } = await import("./version.ts");
      await printVersion(await optionsOf(options), options, process.stdout);
    });
}
