import type { Writable } from "node:stream";
import type { Command } from "commander";
import type { EventStore } from "../../store/events/events.ts";
import { type Common, command, nonNegative, optionsOf } from "../arguments.ts";
import type { Config } from "../config/config.ts";
import { messageLines } from "../terminal/message-lines.ts";
import { stopSignal } from "../terminal/stop-signal.ts";
import { UsageError } from "../terminal/user-error.ts";
import type { StoreOutput } from "./store.ts";

interface StoreOptions extends Common {
  readonly json?: true;
}

type Commands = typeof import("./store.ts");

interface Work {
  readonly commands: Commands;
  readonly store: EventStore;
  readonly config: Config;
  readonly output: StoreOutput;
  readonly signal: AbortSignal;
}

interface NamesOptions extends StoreOptions {
  readonly project?: number;
}

interface ForgetOptions extends StoreOptions {
  readonly project: number;
  readonly event?: readonly string[];
  readonly property?: readonly string[];
  readonly userProperty?: readonly string[];
  readonly maxUses?: number;
  readonly yes?: true;
}

const withLines = "print one JSON object per line";

function linesOf({ json }: StoreOptions): Writable {
  return json ? messageLines(process.stdout) : process.stdout;
}

/** Adds `engage store …`, commands that open the event store themselves, so that no server may run on it. */
export function addStore(program: Command): void {
  const store = program.command("store").description("maintain the event store, without a server");
  const add = (name: string, description: string, run: (work: Work) => Promise<number | undefined>): void => {
    command(store, name, description)
      .option("--json", "print one JSON object")
      .action(async (options: StoreOptions) => {
        process.exitCode = (await withStore(options, run)) ?? 0;
      });
  };
  add("stats", "count the days, events and users of each project", async ({ commands, store, output }) => {
    await commands.printStoreStats(store, output);
    return undefined;
  });
  add(
    "compact",
    "compact past days, and delete days that are older than a project keeps",
    async ({ commands, store, config, output, signal }) => {
      const [{ keepDaysOf }, { openSteadyClock }] = await Promise.all([
        import("../serve/event/store.ts"),
        import("../serve/data/steady-clock.ts"),
      ]);
      using clock = openSteadyClock(config);
      const nowMs = Math.min(Date.now(), clock.steadyMs());
      await commands.compactStore(store, { nowMs, keepDays: keepDaysOf(config), signal }, output);
      return undefined;
    },
  );
  command(
    store,
    "rebuild-intake",
    "rebuild the intake, which holds user ids and uuids, from the events and the spool",
  )
    .option("--json", withLines)
    .action(async (options: StoreOptions) => {
      const [{ loadConfig }, { rebuildIntakeOf }] = await Promise.all([
        import("../config/config.ts"),
        import("../serve/event/rebuild-intake.ts"),
      ]);
      const { config } = loadConfig(await optionsOf(options));
      const { stderr } = process;
      const stdout = linesOf(options);
      await rebuildIntakeOf(config, { stdout, stderr, signal: stopSignal("stopped; nothing was changed") });
    });
  command(store, "accept-loss", "accept that a store has lost data, so that a server can start on it")
    .argument("<store>", "events, inbox or channels")
    .option("--json", withLines)
    .action(async (name: string, options: StoreOptions) => {
      const [{ loadConfig }, { acceptLossOf }] = await Promise.all([
        import("../config/config.ts"),
        import("../serve/data/accept-loss.ts"),
      ]);
      const { config } = loadConfig(await optionsOf(options));
      await acceptLossOf(config, name, linesOf(options));
    });
  add("check", "read all data once and list the faults", ({ commands, store, output, signal }) =>
    commands.checkStore(store, signal, output),
  );
  addNames(store);
  addForget(store);
  addMove(store);
}

interface MoveOptions extends StoreOptions {
  readonly to: string;
}

function addMove(store: Command): void {
  command(store, "move", "move a data folder into the PostgreSQL and ClickHouse servers that replicas share")
    .requiredOption("--to <file>", "configuration of the replicas, with stores.driver shared (required)")
    .option("--json", withLines)
    .addHelpText(
      "after",
      `
Run it after engage migrate, with the configuration of the data folder. It may be
stopped at any moment, and goes on when it is run again.

While a server runs on the data folder, it copies the events of past days. When
none does, it copies the rest: the records that wait in the spool, the events of
changed days, users, cohorts, ids of users, the inbox, push channels, query
tokens, dead letters and clicks. Then it compares the stores, by counts of
projects, events and days and by a dozen queries. If they differ, it says where
and ends with code 1. The data folder is not changed, but for the records that
waited. Replicas refuse to start until the move is complete.

The stores of --to must be empty. Settings, keys and the files of tasks of push
channels are not moved: they are in the configuration, or beside it.`,
    )
    .action(async ({ to, ...options }: MoveOptions) => {
      const [{ loadConfig }, { moveStore }] = await Promise.all([
        import("../config/config.ts"),
        import("../serve/move/move.ts"),
      ]);
      const { config: from } = loadConfig(await optionsOf(options));
      const { config: target } = loadConfig(await optionsOf({ config: to }));
      const signal = stopSignal("stopped; run it again to go on");
      process.exitCode = await moveStore({
        from,
        to: target,
        streams: { stdout: linesOf(options), stderr: process.stderr },
        signal,
      });
    });
}

function addNames(store: Command): void {
  command(
    store,
    "names",
    "list the names of events and properties, with the number of events or users that use each",
  )
    .option("--project <id>", "only names of this project", nonNegative)
    .option("--json", "print one JSON object")
    .action(async (options: NamesOptions) => {
      await withStore(options, async ({ store, output, signal }) => {
        const { printNames } = await import("./names.ts");
        await printNames(store, options.project, signal, output);
        return undefined;
      });
    });
}

function addForget(store: Command): void {
  command(store, "forget", "delete names of events and properties, with all data stored under them")
    .requiredOption("--project <id>", "project id (required)", nonNegative)
    .option("--event <names...>", "names of events; * stands for any characters")
    .option("--property <names...>", "names of event properties, including their members")
    .option("--user-property <names...>", "names of user properties, including their members")
    .option("--max-uses <number>", "only names that at most this many events or users use", nonNegative)
    .option("--yes", "delete them; without it, only print what would be deleted")
    .option("--json", "print one JSON object")
    .action(async (options: ForgetOptions) => {
      const { event = [], property = [], userProperty = [] } = options;
      if (event.length + property.length + userProperty.length === 0) {
        throw new UsageError("--event, --property or --user-property is required");
      }
      await withStore(options, async ({ store, output, signal }) => {
        const { forgetNames } = await import("./names.ts");
        const { project: projectId, maxUses = Number.POSITIVE_INFINITY, yes: isSure = false } = options;
        const names = { events: event, properties: property, userProperties: userProperty };
        await forgetNames(store, { projectId, maxUses, isSure, ...names }, signal, output);
        return undefined;
      });
    });
}

async function withStore(
  options: StoreOptions,
  run: (work: Work) => Promise<number | undefined>,
): Promise<number | undefined> {
  const [{ loadConfig }, { openEventStore }, { keepFilesPrivate }, commands] = await Promise.all([
    import("../config/config.ts"),
    import("../serve/event/store.ts"),
    import("../serve/data/folder.ts"),
    import("./store.ts"),
  ]);
  keepFilesPrivate();
  const { config } = loadConfig(await optionsOf(options));
  await using store = await openEventStore(config);
  const output = { stdout: process.stdout, stderr: process.stderr, json: options.json };
  return await run({ commands, store, config, output, signal: stopSignal("stopped; no data was lost") });
}
