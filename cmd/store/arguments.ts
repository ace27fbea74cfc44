import { type Command, InvalidArgumentError } from "commander";
import type { EventStore } from "../../store/events/events.ts";
import { type Common, command, optionsOf } from "../arguments.ts";
import type { Config } from "../config/config.ts";
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

/** Adds `engage store …`: commands that open the store of events themselves, so no server may run on it. */
export function addStore(program: Command): void {
  const store = program.command("store").description("look after the store of events, without a server");
  const add = (name: string, description: string, run: (work: Work) => Promise<number | undefined>): void => {
    command(store, name, description)
      .option("--json", "print one JSON object")
      .action(async (options: StoreOptions) => {
        process.exitCode = (await withStore(options, run)) ?? 0;
      });
  };
  add("stats", "days, events and users of each project", async ({ commands, store, output }) => {
    await commands.printStoreStats(store, output);
    return undefined;
  });
  add(
    "compact",
    "put the events of past days in order, and drop those older than a project keeps",
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
    "make the intake again, which knows users and uuids, from events and spool",
  ).action(async (options: Common) => {
    const [{ loadConfig }, { rebuildIntakeOf }] = await Promise.all([
      import("../config/config.ts"),
      import("./rebuild-intake.ts"),
    ]);
    const { config } = loadConfig(await optionsOf(options));
    const { stdout, stderr } = process;
    await rebuildIntakeOf(config, { stdout, stderr, signal: stopSignal("stopped; nothing is changed") });
  });
  command(store, "accept-loss", "go on without what a store has lost: it is not looked for any more")
    .argument("<store>", "events, inbox or channels")
    .action(async (name: string, options: Common) => {
      const [{ loadConfig }, { acceptLossOf }] = await Promise.all([
        import("../config/config.ts"),
        import("./accept-loss.ts"),
      ]);
      const { config } = loadConfig(await optionsOf(options));
      await acceptLossOf(config, name, process.stdout);
    });
  add("check", "read everything once and tell what is wrong", ({ commands, store, output, signal }) =>
    commands.checkStore(store, signal, output),
  );
  addNames(store);
  addForget(store);
}

function addNames(store: Command): void {
  command(store, "names", "names of events and properties, and how many events or users use each")
    .option("--project <id>", "of this project alone", whole)
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
  command(store, "forget", "remove names of events and properties, with all that is stored under them")
    .requiredOption("--project <id>", "the project that has them", whole)
    .option("--event <names...>", "events; * stands for any letters")
    .option("--property <names...>", "properties of events, with their members")
    .option("--user-property <names...>", "properties of users, with their members")
    .option("--max-uses <number>", "only what at most this many events or users use", whole)
    .option("--yes", "remove them; without it what would be removed is printed")
    .option("--json", "print one JSON object")
    .action(async (options: ForgetOptions) => {
      const { event = [], property = [], userProperty = [] } = options;
      if (event.length + property.length + userProperty.length === 0) {
        throw new UsageError("give names with --event, --property or --user-property");
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

function whole(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError("give a whole number from 0 on");
  return Number(text);
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
  return await run({ commands, store, config, output, signal: stopSignal("stopped; nothing is lost") });
}
