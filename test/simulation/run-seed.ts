import { channelStore } from "../../store/channels/postgres/store.ts";
import { ledgerStore } from "../../store/events/ledger/ledger.ts";
import { inboxStore } from "../../store/inbox/postgres/store.ts";
import { intakeStore } from "../../store/intake/postgres/store.ts";
import { leaseStore } from "../../store/leases/postgres/store.ts";
import { recordStore } from "../../store/records/postgres/store.ts";
import { createRandom } from "../reference/random.ts";
import { DatabaseServer } from "./database/server.ts";
import { runInbox } from "./inbox/history.ts";
import { runPushes } from "./pushes/history.ts";
import { type RecordStores, runRecords, soundStores } from "./records/history.ts";
import { Scheduler } from "./scheduler.ts";

/** What the histories of all seeds share: the tables and the prepared statements. */
export interface Simulation {
  /**
   * Runs the history of a seed.
   * @param note receives each line of the history
   * @throws InvariantError when a rule does not hold
   */
  records(seed: number, note?: (line: string) => void, stores?: RecordStores): Promise<void>;
  inbox(seed: number, note?: (line: string) => void, rewrite?: (text: string) => string): Promise<void>;
  pushes(seed: number, note?: (line: string) => void, rewrite?: (text: string) => string): Promise<void>;
}

export function createSimulation(): Simulation {
  const server = new DatabaseServer([
    leaseStore,
    recordStore,
    ledgerStore,
    intakeStore,
    inboxStore,
    channelStore,
  ]);
  return {
    records: (seed, note, stores = soundStores) =>
      runRecords(new Scheduler(createRandom(seed), note), server, stores),
    inbox: (seed, note, rewrite) => runInbox(new Scheduler(createRandom(seed), note), server, rewrite),
    pushes: (seed, note, rewrite) => runPushes(new Scheduler(createRandom(seed), note), server, rewrite),
  };
}

/**
 * Runs the histories of a seed, and the failing one a second time to write it down.
 * @throws an Error with the seed, the broken rule and the last lines of the history
 */
export async function runSeed(simulation: Simulation, seed: number, maxLines: number): Promise<void> {
  for (const kind of ["records", "inbox", "pushes"] as const) {
    try {
      await simulation[kind](seed);
    } catch (error) {
      throw await describe(simulation, { seed, kind, error, maxLines });
    }
  }
}

interface Failure {
  readonly seed: number;
  readonly kind: keyof Simulation;
  readonly error: unknown;
  readonly maxLines: number;
}

async function describe(simulation: Simulation, { seed, kind, error, maxLines }: Failure): Promise<Error> {
  const lines: string[] = [];
  const again = await simulation[kind](seed, (line) => lines.push(line)).then(
    () => "the history does not fail again",
    (reason: unknown) => (reason as Error).stack ?? String(reason),
  );
  const history = lines.slice(-maxLines).join("\n");
  const text = `seed ${seed} of ${kind} breaks a rule after this history:\n${history}\n${again}`;
  return new Error(text, { cause: error });
}
