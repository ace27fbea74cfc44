import { type Command, InvalidArgumentError, Option } from "commander";
import type { ConfigOptions } from "./config/config.ts";

/** The options of every command that reads the configuration. */
export interface Common {
  readonly config?: string;
}

/** Adds a command that reads the configuration. */
export function command(program: Command, name: string, description: string): Command {
  const file = "configuration file (default: $ENGAGE_CONFIG, ./engage.yaml, or the demo)";
  return program.command(name).description(description).option("-c, --config <file>", file);
}

export async function optionsOf({ config }: Common): Promise<ConfigOptions> {
  const { processOptions } = await import("./config/config.ts");
  return processOptions(config);
}

/** Adds the options that name the server to call. */
export function withPlace(command: Command): Command {
  return command
    .addOption(
      new Option(
        "--url <url>",
        "server to call (default: the configured address, or that of the profile in use)",
      ).conflicts("profile"),
    )
    .option("--profile <name>", "profile with the server and its key (default: $ENGAGE_PROFILE)");
}

/** Adds the options of commands that call a server with a bearer key. */
export function withServer(command: Command, timeoutMs: number): Command {
  return withPlace(command)
    .option("--key-file <file>", "file with a bearer key (default: that of the profile, or $ENGAGE_KEY)")
    .option("--timeout <ms>", "how long to wait for a response", milliseconds, timeoutMs);
}

export function milliseconds(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text))
    throw new InvalidArgumentError("must be a whole number of milliseconds, at least 1");
  return Number(text);
}

export function positive(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError("must be a whole number, at least 1");
  return Number(text);
}

export function nonNegative(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError("must be a whole number, at least 0");
  return Number(text);
}
