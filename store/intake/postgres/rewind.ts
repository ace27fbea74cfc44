import { checkFence } from "../../leases/fence.ts";
import { first, type Operation, run, type Session } from "../../sql/query.ts";
import { IntakeBehindError, IntakeUnavailableError } from "../intake.ts";
import { changedWords } from "./read-batch.ts";
import {
  listUuidBatches,
  type RemovedBatches,
  removeUuidBatches,
  type UuidBatchHead,
  undoUuidBatches,
} from "./uuid-batches.ts";
import { undoUuids } from "./uuid-tables.ts";

/** A lease and its token, which must be the current one. */
export interface Fence {
  readonly name: string;
  readonly token: number;
}

/** Which part of the schema a loader writes. */
export interface SpoolPart {
  readonly spool: number;
  readonly fence: Fence | undefined;
}

export interface SpoolHead {
  readonly version: number;
  /** The end of the last batch as a number; null before the first. */
  readonly prepared: number | null;
}

/** The state after a rewind. */
export interface Rewound {
  readonly version: number;
  /** The batches whose uuids are stored together, the oldest first. */
  readonly uuidBatches: readonly UuidBatchHead[];
}

export function* preparedTo(_session: Session, spool: number): Operation<number | undefined> {
  const head = yield* first<SpoolHead>("SELECT prepared FROM {spools} WHERE spool = $1", spool);
  return head?.prepared ?? undefined;
}

/**
 * Undoes the claims of batches from a place on. From then on the writes of loaders which knew the state
 * before are refused.
 */
export function* rewind(
  _session: Session,
  part: SpoolPart,
  seq: number,
  ifBehind: string,
): Operation<Rewound> {
  const { version, prepared } = yield* change(part);
  if (seq > (prepared ?? 0)) throw new IntakeBehindError(ifBehind);
  yield* run(
    `DELETE FROM {first_checks} f USING {projects} p
     WHERE p.spool = $1 AND f.project = p.project AND f.seq >= $2`,
    part.spool,
    seq,
  );
  yield* undoUuidBatches(part.spool, seq);
  yield* undoUuids(part.spool, seq);
  return { version, uuidBatches: yield* listUuidBatches(part.spool) };
}

/**
 * Stores the oldest batches as rows.
 * @returns the version of the new state
 * @throws IntakeUnavailableError when another loader has changed the state
 */
export function* spillUuids(
  _session: Session,
  { spool, fence }: SpoolPart,
  version: number,
  removed: RemovedBatches,
): Operation<number> {
  if (fence !== undefined) yield* checkFence(fence.name, fence.token);
  const head = yield* first<{ version: number }>(
    "UPDATE {spools} SET version = version + 1 WHERE spool = $1 AND version = $2 RETURNING version",
    spool,
    version,
  );
  if (head === null) throw new IntakeUnavailableError(changedWords);
  yield* removeUuidBatches(spool, removed);
  return head.version;
}

/** @returns the version of the new state */
export function* markUnreported(_session: Session, part: SpoolPart, seq: number): Operation<number> {
  const { version } = yield* change(part);
  for (const table of ["{accounts}", "{visitors}"]) {
    yield* run(
      `UPDATE ${table} i SET seq = $3 FROM {projects} p
       WHERE p.spool = $1 AND i.project = p.project AND i.seq >= $2`,
      part.spool,
      seq,
      Number.MAX_SAFE_INTEGER,
    );
  }
  return version;
}

function* change({ spool, fence }: SpoolPart): Operation<SpoolHead> {
  if (fence !== undefined) yield* checkFence(fence.name, fence.token);
  const head = yield* first<SpoolHead>(
    `INSERT INTO {spools} (spool, prepared, version) VALUES ($1, NULL, 1)
     ON CONFLICT (spool) DO UPDATE SET version = {spools}.version + 1 RETURNING version, prepared`,
    spool,
  );
  return head!;
}
