import { type Command, Option } from "commander";
import type { ProfileStreams, SetOptions } from "./profile.ts";

interface JsonOption {
  readonly json?: true;
}

type Commands = typeof import("./profile.ts");

/** Adds `engage profile …`, which stores the servers of a user with their keys. */
export function addProfile(program: Command): void {
  const group = program
    .command("profile")
    .description("store servers to call, with their keys")
    .addHelpText("after", notes);
  const add = (name: string, description: string): Command =>
    group.command(name).description(description).option("--json", "print one JSON object per line");

  add("list", "list profiles, without their secrets").action((options: JsonOption) =>
    run(({ listProfiles }, streams) => listProfiles(streams, options)),
  );
  add("set", "create a profile, or change it")
    .argument("<profile>", "name of the profile")
    .option("--url <url>", "the server")
    .addOption(
      new Option(
        "--key-file <file>",
        "file with a bearer key, which is read at each call; - stores the key on standard input",
      ),
    )
    .option("--token-file <file>", "file with a query token, which is stored; - for standard input")
    .option("--use", "use the profile where no configuration and no other profile is named")
    .action((name: string, options: SetOptions & JsonOption) =>
      run(({ setProfile }, streams) => setProfile(name, options, streams)),
    );
  add("use", "use a profile where no configuration and no other profile is named")
    .argument("<profile>", "name of the profile")
    .action((name: string, options: JsonOption) =>
      run(({ useProfile }, streams) => useProfile(name, options, streams)),
    );
  add("remove", "remove a profile")
    .argument("<profile>", "name of the profile")
    .action((name: string, options: JsonOption) =>
      run(({ removeProfile }, streams) => removeProfile(name, options, streams)),
    );
}

const notes = `
Commands that call a server take the first of: --url, the profile of --profile or $ENGAGE_PROFILE,
the address in the configuration (--config, $ENGAGE_CONFIG or ./engage.yaml), and the profile in use.
They are in ~/.config/engage/profiles.yaml, or in engage/profiles.yaml of $XDG_CONFIG_HOME.`;

async function run(
  work: (commands: Commands, streams: ProfileStreams) => void | Promise<void>,
): Promise<void> {
  const [commands, { processOptions }] = await Promise.all([
    import("./profile.ts"),
    import("../config/config.ts"),
  ]);
  const { env, cwd } = processOptions();
  await work(commands, { env, cwd, stdin: process.stdin, stdout: process.stdout });
}
