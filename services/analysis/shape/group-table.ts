import { itemsPerYield, type YieldToEventLoop } from "../../../base/async/yield.ts";
import type { KeyValue } from "../../../store/events/events.ts";
import type { ScanRun } from "./scan-run.ts";

/** The groups of several scans under common numbers, and the values of the split. */
export interface GroupTable {
  readonly groups: readonly (readonly KeyValue[])[];
  readonly splits: readonly KeyValue[];
  /** Returns the scan's group with the number `group`, or -1. @param split undefined for scans that are not split */
  readonly place: (run: ScanRun, split: number | undefined, group: number) => number;
  /** Returns the numbers of the groups that a run's scan has with this value of the split. */
  readonly groupsOf: (run: ScanRun, split: number | undefined) => Iterable<number>;
}

/** @param hasKeys if false, there is always one group */
export async function createGroupTable(
  runs: readonly ScanRun[],
  hasKeys: boolean,
  yieldToEventLoop: YieldToEventLoop,
): Promise<GroupTable> {
  const [only, ...others] = runs;
  if (hasKeys && only !== undefined && others.length === 0 && !only.planned.isSplit) return tableOfOne(only);
  const groups = createNumbering<readonly KeyValue[]>();
  const splits = createNumbering<KeyValue>();
  if (!hasKeys) groups.numberOf([]);
  const places = new Map<ScanRun, Places>();
  for (const run of runs) places.set(run, await placesOf(run, groups, splits, yieldToEventLoop));
  const placesIn = (run: ScanRun, split: number | undefined) => places.get(run)!.get(split ?? -1);
  return {
    groups: groups.values,
    splits: splits.values,
    place: (run, split, group) => placesIn(run, split)?.get(group) ?? -1,
    groupsOf: (run, split) => placesIn(run, split)?.keys() ?? [],
  };
}

/** Creates the table of one scan, which keeps the numbers of the scan. This saves much with a million groups. */
function tableOfOne({ groups }: ScanRun): GroupTable {
  return {
    groups,
    splits: [],
    place: (_run, _split, group) => group,
    groupsOf: () => groups.keys(),
  };
}

/** The scan's own groups by split (-1 for none) and by group. */
type Places = ReadonlyMap<number, ReadonlyMap<number, number>>;

async function placesOf(
  { planned, groups: found }: ScanRun,
  groups: Numbering<readonly KeyValue[]>,
  splits: Numbering<KeyValue>,
  yieldToEventLoop: YieldToEventLoop,
): Promise<Places> {
  const places = new Map<number, Map<number, number>>();
  for (const [place, keys] of found.entries()) {
    const split = planned.isSplit ? splits.numberOf(keys.at(-1)!) : -1;
    const group = groups.numberOf(planned.isSplit ? keys.slice(0, -1) : keys);
    let own = places.get(split);
    if (own === undefined) {
      own = new Map();
      places.set(split, own);
    }
    own.set(group, place);
    if (place % itemsPerYield === 0) await yieldToEventLoop();
  }
  return places;
}

interface Numbering<T> {
  readonly values: readonly T[];
  numberOf(value: T): number;
}

function createNumbering<T>(): Numbering<T> {
  const values: T[] = [];
  const numbers = new Map<string, number>();
  return {
    values,
    numberOf(value) {
      const key = JSON.stringify(value);
      const number = numbers.get(key) ?? values.push(value) - 1;
      numbers.set(key, number);
      return number;
    },
  };
}
