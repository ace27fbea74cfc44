import { all, first, type Operation, run, type Session, type Value } from "../../sql/query.ts";
import type { NewBatch } from "../runs.ts";
import { type BatchRow, batchColumns, type HeldRow, insertBatches } from "./batch-rows.ts";
import { firstOf, type LeaseToken, rowOf } from "./ids.ts";

/**
 * A page is a row for several batches of the same size. Most batches are leased, begun and settled like those before
 * and after them, so a row and an index entry for each would be most of the work of the store. A batch to which
 * something else happens is taken out: it gets a row of its own, and its page forgets it.
 *
 * The row is in `batches`, as that of a single batch, and has the state and the lease of all. Its `progress` has a
 * letter for each batch. What does not change is in `pages`: the request ids, notes and payloads.
 */
export interface PageRow extends BatchRow {
  readonly progress: string;
}

/** A batch of a page: not sent so far, its attempt has begun, it has succeeded, or it has a row of its own. */
export type Progress = "." | "b" | "s" | "o";

/** What the batches of a page do not have in common. */
export interface Part {
  readonly requestId: string;
  readonly note: string;
  /** The length of the stored payload. */
  readonly bytes: number;
}

/** The most batches of a page. */
export const maxPageBatches = 200;
/** The most messages of a page of several batches: a lease of a few batches takes them out of a long page. */
const maxPageMessages = 5_000;
/** Most pages have about as many. */
export const usualPageBatches = 50;

/** What is needed to mark a batch of a page. */
type MarkedPage = Pick<PageRow, "number" | "run_seq" | "progress">;

export function isPage<T extends Pick<BatchRow, "progress">>(
  row: T,
): row is T & { readonly progress: string } {
  return row.progress !== null;
}

/** What is stored in one row: a batch, or a page. */
export interface NewRow {
  /** The number of batches. */
  readonly count: number;
  /** Messages of each batch. */
  readonly size: number;
  /** Empty for a page. */
  readonly requestId: string;
  readonly note: string;
  /** As `encodeParts` writes them; null for a single batch. */
  readonly parts: string | null;
  /** The payloads of the batches, one after the other. */
  readonly payload: Uint8Array;
}

/** Puts batches of the same size that follow each other together. If there are any, the others become pages of one. */
export function toRows(batches: readonly NewBatch[]): readonly NewRow[] {
  const groups: NewBatch[][] = [];
  for (const batch of batches) {
    const last = groups.at(-1);
    const most = Math.min(maxPageBatches, Math.floor(maxPageMessages / batch.size));
    if (last !== undefined && last.length < most && last[0]!.size === batch.size) last.push(batch);
    else groups.push([batch]);
  }
  // The rows of single batches would be leased after those of pages.
  if (groups.length === batches.length) return batches.map((one) => ({ ...one, count: 1, parts: null }));
  return groups.map(pageOf);
}

function pageOf(batches: readonly NewBatch[]): NewRow {
  return {
    count: batches.length,
    size: batches[0]!.size,
    requestId: "",
    note: "",
    parts: encodeParts(batches),
    payload: join(batches.map(({ payload }) => payload)),
  };
}

/** Returns payloads that follow each other in memory as they are, and others as a copy. */
function join(payloads: readonly Uint8Array[]): Uint8Array {
  const { buffer, byteOffset } = payloads[0]!;
  let end = byteOffset;
  for (const payload of payloads) {
    if (payload.buffer !== buffer || payload.byteOffset !== end) return Buffer.concat(payloads);
    end += payload.length;
  }
  return new Uint8Array(buffer, byteOffset, end - byteOffset);
}

/** A note is left out if the batch before has the same. */
function encodeParts(batches: readonly NewBatch[]): string {
  return JSON.stringify(
    batches.map(({ requestId, payload, note }, i) =>
      note === batches[i - 1]?.note ? [requestId, payload.length] : [requestId, payload.length, note],
    ),
  );
}

export function decodeParts(text: string): readonly Part[] {
  const parts = JSON.parse(text) as [requestId: string, bytes: number, note?: string][];
  let last = "";
  return parts.map(([requestId, bytes, note = last]) => {
    last = note;
    return { requestId, bytes, note };
  });
}

/** Returns the payload of each batch of a page. */
export function dividePayload(parts: readonly Part[], payload: Uint8Array): readonly Uint8Array[] {
  let end = 0;
  return parts.map(({ bytes }) => {
    end += bytes;
    return payload.subarray(end - bytes, end);
  });
}

/** Returns the indexes of the batches with one of these letters. */
export function indexesOf(
  { progress }: Pick<PageRow, "progress">,
  ...letters: readonly Progress[]
): readonly number[] {
  const found: number[] = [];
  for (let i = 0; i < progress.length; i++) if (letters.includes(progress[i] as Progress)) found.push(i);
  return found;
}

/** How batches are taken out of a page. */
export interface TakingOut {
  readonly dueAtMs: number;
  /** Whether attempts that have begun may still end. */
  readonly isHeld: boolean;
  /** Whether a batch may be sent again. */
  readonly needsPayload: (index: number) => boolean;
  /** Why the batches fail. Empty, the default: they do not. */
  readonly failure?: string;
}

/** The pages that one operation changes, whose rows it has locked. */
export class Pages {
  readonly #progress = new Map<MarkedPage, Progress[]>();
  readonly #ended = new Set<number>();

  /** The runs with batches that have ended. */
  get ended(): Iterable<number> {
    return this.#ended;
  }

  /** Returns the index of a held batch in its page, or -1 if it has ended or has a row of its own. */
  indexOf(page: MarkedPage, number: number): number {
    const index = number - firstOf(page.number);
    const letter = this.#of(page)[index];
    return letter === "." || letter === "b" ? index : -1;
  }

  mark(page: MarkedPage, index: number, letter: Progress): void {
    this.#of(page)[index] = letter;
    if (letter === "s") this.#ended.add(page.run_seq);
  }

  /** Gives batches rows of their own; returns these. They can be leased at once, unless they fail. */
  *takeOut(
    page: PageRow,
    indexes: readonly number[],
    { dueAtMs, isHeld, needsPayload, failure = "" }: TakingOut,
  ): Operation<readonly BatchRow[]> {
    if (indexes.length === 0) return [];
    const progress = this.#of(page);
    const stored = yield* first<{ parts: string }>(
      "SELECT parts FROM {pages} WHERE run_seq = $1 AND number = $2",
      page.run_seq,
      page.number,
    );
    const parts = decodeParts(stored!.parts);
    const rows = indexes.map((index): BatchRow => {
      const isBegun = progress[index] === "b";
      const { requestId, note } = parts[index]!;
      return {
        ...page,
        number: firstOf(page.number) + index,
        request_id: requestId,
        note,
        attempts: isBegun ? 1 : 0,
        is_begun: isBegun && isHeld ? 1 : 0,
        batch_count: 1,
        progress: null,
      };
    });
    const payloads = yield* readPayloads(page, parts, indexes.filter(needsPayload));
    yield* insertBatches(
      rows.map((row) => ({ ...row, due_at_ms: dueAtMs })),
      rows.flatMap(({ run_seq, number }, i): (readonly Value[])[] =>
        needsPayload(indexes[i]!) ? [[run_seq, number, payloads.get(indexes[i]!)!]] : [],
      ),
      failure,
    );
    for (const index of indexes) progress[index] = "o";
    return rows;
  }

  /**
   * Writes the changes. A page ends with its last batch.
   * @param keepsPayloads whether the payloads of ended pages are left for `prune`
   */
  *write({ keepsPayloads = false } = {}): Operation<void> {
    for (const [page, letters] of this.#progress) {
      const progress = letters.join("");
      if (progress === page.progress) continue;
      if (/[.b]/.test(progress)) {
        yield* run(
          "UPDATE {batches} SET progress = $1 WHERE run_seq = $2 AND number = $3",
          progress,
          page.run_seq,
          page.number,
        );
        continue;
      }
      yield* run(
        `UPDATE {batches} SET progress = $1, state = 'succeeded', is_open = 0, lease_key = 0
         WHERE run_seq = $2 AND number = $3`,
        progress,
        page.run_seq,
        page.number,
      );
      if (keepsPayloads) continue;
      yield* run(
        "UPDATE {pages} SET payload = NULL WHERE run_seq = $1 AND number = $2",
        page.run_seq,
        page.number,
      );
    }
    this.#progress.clear();
  }

  /** Returns what is left of a page, with the changes that are not written so far. */
  present(page: PageRow): PageRow {
    return { ...page, progress: this.#of(page).join("") };
  }

  #of(page: MarkedPage): Progress[] {
    const known = this.#progress.get(page) ?? ([...page.progress] as Progress[]);
    this.#progress.set(page, known);
    return known;
  }
}

/** Reads the payloads of some batches of a page, and no more than lies between them. */
function* readPayloads(
  { run_seq, number }: MarkedPage,
  parts: readonly Part[],
  indexes: readonly number[],
): Operation<ReadonlyMap<number, Uint8Array>> {
  if (indexes.length === 0) return new Map();
  const [from, to] = [Math.min(...indexes), Math.max(...indexes) + 1];
  const bytesOf = (some: readonly Part[]): number => some.reduce((sum, { bytes }) => sum + bytes, 0);
  const between = parts.slice(from, to);
  const stored = yield* first<{ payload: Uint8Array }>(
    "SELECT substr(payload, $1, $2) AS payload FROM {pages} WHERE run_seq = $3 AND number = $4",
    bytesOf(parts.slice(0, from)) + 1,
    bytesOf(between),
    run_seq,
    number,
  );
  const payloads = dividePayload(between, stored!.payload);
  return new Map(indexes.map((index) => [index, payloads[index - from]!]));
}

/** Returns the row of a held batch: its own, or that of its page; undefined if it is not held any more. */
export function heldRow<T extends HeldRow>(
  rows: ReadonlyMap<number, T>,
  pages: Pages,
  { number, page }: LeaseToken,
): T | undefined {
  const row = rows.get(page === undefined ? number : rowOf(page));
  if (row === undefined || page === undefined) return row;
  return isPage(row) && pages.indexOf(row, number) !== -1 ? row : undefined;
}

/** Locks the pages of a run that are not leased. */
export function* lockPendingPages({ dialect }: Session, runSeq: number): Operation<readonly PageRow[]> {
  return yield* all<PageRow>(
    `SELECT ${batchColumns} FROM {batches} b WHERE b.run_seq = $1 AND b.number < 0 AND b.is_open = 1
       AND b.state = 'pending' ORDER BY b.number ${dialect.forUpdate}`,
    runSeq,
  );
}
