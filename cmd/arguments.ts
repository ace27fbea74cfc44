import { type Command, InvalidArgumentError } from "commander";
import type { ConfigOptions } from "./config/config.ts";

/** Options of every command that reads the configuration. */
export interface Common {
  readonly config?: string;
}

export function command(program: Command, name: string, description: string): Command {
  const file = "configuration file (default: $ENGAGE_CONFIG, ./engage.yaml, the demo's)";
  return program.command(name).description(description).option("-c, --config <file>", file);
}

export async function optionsOf({ config }: Common): Promise<ConfigOptions> {
  const { processOptions } = await import("./config/config.ts");
  return processOptions(config);
}

export function milliseconds(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text))
    throw new InvalidArgumentError("give a whole number of milliseconds from 1 on");
  return Number(text);
}

export function positive(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError("give a whole number from 1 on");
  return Number(text);
}
