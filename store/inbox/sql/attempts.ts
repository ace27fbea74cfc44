import { all, insertAll, type Operation, run, type Session } from "../../sql/query.ts";
import { type Attempt, decodeAttempts, maxKeptAttempts } from "../attempts.ts";

/** The item that a settlement was of. */
export interface SettledItem {
  readonly batchSeq: number;
  readonly target: string;
  /** The number of the attempt. */
  readonly attempt: number;
}

/** The attempts that a settlement has ended. */
export interface StoredAttempts extends SettledItem {
  /** In the form of `encodeAttempts`. */
  readonly content: string;
}

/** Adds attempts of kept batches, and deletes the oldest of elements with too many. */
export function* addAttempts({ dialect }: Session, rows: readonly StoredAttempts[]): Operation<void> {
  const seqs = [...new Set(rows.map(({ batchSeq }) => batchSeq))];
  const kept = yield* all<{ seq: number }>(
    `SELECT seq FROM {batches} WHERE seq IN ${dialect.integersOf("$1")}`,
    JSON.stringify(seqs),
  );
  const isKept = new Set(kept.map(({ seq }) => seq));
  const added = rows.filter(({ batchSeq }) => isKept.has(batchSeq));
  yield* insertAll(
    "INSERT INTO {attempts} (batch_seq, target, attempt, content)",
    added.map(({ batchSeq, target, attempt, content }) => [batchSeq, target, attempt, content]),
  );
  for (const { batchSeq, target, attempt } of added) {
    if (attempt <= maxKeptAttempts) continue;
    yield* run(
      `DELETE FROM {attempts}
       WHERE batch_seq = $1 AND target = $2 AND is_before_replay = 0 AND attempt <= $3`,
      batchSeq,
      target,
      attempt - maxKeptAttempts,
    );
  }
}

/** Keeps the attempts since the last replay beside those which follow, and deletes earlier ones. */
export function* endAttempts(batchSeq: number, target: string): Operation<void> {
  yield* run(
    "DELETE FROM {attempts} WHERE batch_seq = $1 AND target = $2 AND is_before_replay = 1",
    batchSeq,
    target,
  );
  yield* run(
    "UPDATE {attempts} SET is_before_replay = 1 WHERE batch_seq = $1 AND target = $2",
    batchSeq,
    target,
  );
}

interface AttemptRow {
  readonly target: string;
  readonly attempt: number;
  readonly is_before_replay: number;
  readonly content: string;
}

/** The characters of attempts read for one batch; of a batch with more, the latest. */
const maxReadCharacters = 4_194_304;

/** Returns the attempts of a delivery, the oldest first. */
export type AttemptsOf = (index: number, target: string) => readonly Attempt[];

/** Reads the attempts of a batch, or of one element and target. */
export function* readAttempts(
  { dialect }: Session,
  batchSeq: number,
  only?: { readonly index: number; readonly target: string },
): Operation<AttemptsOf> {
  const sizes = yield* all<{ id: number; characters: number }>(
    `SELECT id, LENGTH(content) AS characters FROM {attempts}
     WHERE batch_seq = $1 ${only === undefined ? "" : "AND target = $2"} ORDER BY id DESC`,
    batchSeq,
    ...(only === undefined ? [] : [only.target]),
  );
  const ids: number[] = [];
  let characters = 0;
  for (const size of sizes) {
    characters += size.characters;
    if (characters > maxReadCharacters) break;
    ids.push(size.id);
  }
  const rows = yield* all<AttemptRow>(
    `SELECT target, attempt, is_before_replay, content FROM {attempts}
     WHERE id IN ${dialect.integersOf("$1")} ORDER BY id`,
    JSON.stringify(ids),
  );
  const found = new Map<string, Attempt[]>();
  for (const { target, attempt, is_before_replay, content } of rows) {
    for (const { indexes, ...record } of decodeAttempts(content)) {
      for (const index of only === undefined ? indexes : indexes.filter((one) => one === only.index)) {
        const key = `${index} ${target}`;
        const own = found.get(key) ?? [];
        own.push({ ...record, attempt, isBeforeReplay: is_before_replay === 1 });
        found.set(key, own);
      }
    }
  }
  return (index, target) => (found.get(`${index} ${target}`) ?? []).slice(-maxKeptAttempts);
}
