import {
  type EventStore,
  emptySchema,
  type KeyValue,
  type Measure,
  type NumberSummary,
  type Scan,
  type ScanResult,
  type StoredUser,
  type UserChunk,
  type UserScan,
} from "../../../../store/events/events.ts";
import { cohorts, schema } from "../describe/described.ts";
import { chunkOf } from "./object-chunk.ts";

/** One group of a scan: the cells and the total of each measure. The first cell is the default of the total. */
export interface ScriptedGroup {
  readonly key: readonly KeyValue[];
  readonly cells: (measure: Measure, at: number) => readonly (number | null)[];
  readonly total?: (measure: Measure, at: number) => number | null;
}

export interface Script {
  readonly groups?: (scan: Scan, nth: number) => readonly ScriptedGroup[];
  readonly users?: readonly (readonly StoredUser[])[];
  /** Default: as objects. */
  readonly chunkOf?: (users: readonly StoredUser[]) => UserChunk;
  readonly summary?: NumberSummary;
  /** The error that scans throw. */
  readonly fault?: Error;
}

export interface ScriptedStore {
  readonly store: EventStore;
  readonly scans: Scan[];
  readonly userScans: UserScan[];
  readonly signals: AbortSignal[];
  /** Returns the number of results that are not disposed of. */
  held(): number;
}

/** Returns a store with scripted results, which records its calls. */
export function createScriptedStore(script: Script): ScriptedStore {
  const [scans, userScans, signals]: [Scan[], UserScan[], AbortSignal[]] = [[], [], []];
  let held = 0;
  const scan: EventStore["scan"] = async (asked, signal) => {
    if (script.fault !== undefined) throw script.fault;
    signals.push(signal);
    const groups = script.groups?.(asked, scans.push(asked) - 1) ?? [];
    held++;
    return {
      groups: {
        keys: groups.map(({ key }) => key),
        totals: asked.totals
          ? asked.measures.map((measure, at) =>
              Float64Array.from(groups, ({ cells, total }) =>
                toNumber(total?.(measure, at) ?? cells(measure, at)[0]),
              ),
            )
          : [],
      },
      cells: async (chosen = [...groups.keys()]) => ({
        values: asked.measures.map((measure, at) =>
          Float64Array.from(chosen.flatMap((group) => groups[group]!.cells(measure, at).map(toNumber))),
        ),
      }),
      [Symbol.asyncDispose]: async () => {
        held--;
      },
    };
  };
  const store = {
    scan,
    scanAll: async (all: readonly Scan[], signal: AbortSignal) => {
      const results: ScanResult[] = [];
      for (const one of all) results.push(await scan(one, signal));
      return results;
    },
    schema: (projectId: number) => (projectId === 1 ? schema : emptySchema),
    cohorts: async () => cohorts,
    summarize: async () => script.summary ?? { distinct: 0, range: undefined },
    async *users(asked: UserScan, signal: AbortSignal) {
      userScans.push(asked);
      signals.push(signal);
      yield* (script.users ?? []).map(script.chunkOf ?? chunkOf);
    },
  };
  return { store: store as unknown as EventStore, scans, userScans, signals, held: () => held };
}

function toNumber(number: number | null | undefined): number {
  return number ?? Number.NaN;
}
