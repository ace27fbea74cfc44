import type { Executor } from "../../sql/operations.ts";
import { repeatedBatches } from "../intake.ts";
import { RecentUuids } from "./recent-uuids.ts";
import type { Rewound, SpoolPart } from "./rewind.ts";
import type { IntakeOperations } from "./store.ts";
import { rowsByDay, type UuidBatchHead } from "./uuid-batches.ts";

/** The maximum number of uuids that are read at once, unless one batch has more. */
const maxPageUuids = 250_000;

export interface ReadUuids {
  readonly recent: RecentUuids;
  /** The version of the state. */
  readonly version: number;
}

/**
 * Reads the claims of the last batches after a rewind, part by part. Of a loader which could remember more, the oldest
 * are stored as rows first. When another loader writes meanwhile, the next batch finds another version.
 */
export async function readUuids(
  executor: Executor<IntakeOperations>,
  settings: SpoolPart & { readonly maxUuids: number },
  { version: rewoundVersion, uuidBatches }: Rewound,
): Promise<ReadUuids> {
  const { spool, maxUuids } = settings;
  const read = (page: readonly UuidBatchHead[]) =>
    executor.call("readUuidBatches", 0, [spool, page[0]!.seq, page.at(-1)!.seq], undefined);
  let kept = uuidBatches.length;
  let uuids = 0;
  const isRepeated = () => kept > uuidBatches.length - repeatedBatches;
  while (kept > 0 && (isRepeated() || uuids + uuidBatches[kept - 1]!.uuids <= maxUuids))
    uuids += uuidBatches[--kept]!.uuids;
  let version = rewoundVersion;
  for (const page of pagesOf(uuidBatches.slice(0, kept))) {
    const removed = { removedTo: page.at(-1)!.seq, spilled: (await read(page)).flatMap(rowsByDay) };
    version = await executor.call("spillUuids", 0, [settings, version, removed], undefined);
  }
  const recent = new RecentUuids();
  recent.reserve(uuids);
  for (const page of pagesOf(uuidBatches.slice(kept)))
    for (const batch of await read(page)) recent.add(batch);
  return { recent, version };
}

function* pagesOf(batches: readonly UuidBatchHead[]): Generator<readonly UuidBatchHead[]> {
  let page: UuidBatchHead[] = [];
  let uuids = 0;
  for (const batch of batches) {
    if (page.length > 0 && uuids + batch.uuids > maxPageUuids) {
      yield page;
      page = [];
      uuids = 0;
    }
    page.push(batch);
    uuids += batch.uuids;
  }
  if (page.length > 0) yield page;
}
