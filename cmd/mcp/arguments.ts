import type { Command } from "commander";
import { type Common, command, optionsOf, withServer } from "../arguments.ts";
import type { McpOptions } from "./mcp.ts";

/** Adds `engage mcp`. */
export function addMcp(program: Command): void {
  withServer(command(program, "mcp", "give an agent tools over standard streams"), 60_000)
    .option(
      "--token <token>",
      "query token, for a server without keys (default: that of the profile, $ENGAGE_TOKEN, or one in the configuration)",
    )
    .addHelpText(
      "after",
      "\nSpeaks the Model Context Protocol until standard input ends. The server must not have mcp.enabled: false.",
    )
    .action(async (options: Common & McpOptions) => {
      const { runMcp } = await import("./mcp.ts");
      await runMcp(await optionsOf(options), options, process.stdin);
    });
}
