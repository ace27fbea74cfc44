import { type Command, InvalidArgumentError, Option } from "commander";
import { type Common, command, optionsOf } from "../arguments.ts";
import type { Config } from "../config/config.ts";
import type { CreateTokenOptions } from "./token.ts";

type Commands = typeof import("./token.ts");

/** Adds `engage token …`. */
export function addToken(program: Command): void {
  const token = program.command("token").description("tokens for querying events");
  command(
    token,
    "create <name>",
    "create a random token, shown once; its digest is stored in the data folder or the shared database",
  )
    .option("--project <id...>", "ids of the projects that it may query")
    .addOption(new Option("--all-projects", "allow it to query every project").conflicts("project"))
    .option("--rate <number>", "queries per second (default: analysis.rateLimit)", rate)
    .option("--json", "print one JSON object")
    .action((name: string, options: Common & CreateTokenOptions) =>
      run(options, ({ createToken }, config) => createToken(config, name, options, process)),
    );
  command(token, "list", "list the tokens of the configuration, and those created by commands")
    .option("--json", "print one JSON object per line")
    .action((options: Common & { json?: true }) =>
      run(options, ({ listTokens }, config) => listTokens(config, options, process)),
    );
  command(token, "revoke <name>", "revoke a token created by a command")
    .option("--json", "print one JSON object")
    .action((name: string, options: Common & { json?: true }) =>
      run(options, ({ revokeToken }, config) => revokeToken(config, name, options, process)),
    );
}

function rate(text: string): number {
  const value = Number(text);
  if (value > 0 && value <= 100_000) return value;
  throw new InvalidArgumentError("must be a number above 0, at most 100000");
}

async function run(
  options: Common,
  work: (commands: Commands, config: Config) => Promise<void>,
): Promise<void> {
  const [{ loadConfig }, commands] = await Promise.all([import("../config/config.ts"), import("./token.ts")]);
  await work(commands, loadConfig(await optionsOf(options)).config);
}
