import { PageCursorError } from "../channels.ts";

/** 15 digits stay below 2^53. */
const numberPattern = /^\d{1,15}$/;

export function channelIdOf(seq: number): string {
  return `c${seq}`;
}

export function taskIdOf(seq: number): string {
  return `t${seq}`;
}

/** Decodes a channel id; returns -1, which no row has, for other texts. */
export function seqOfChannel(channelId: string): number {
  return seqOf("c", channelId);
}

/** Decodes a task id; returns -1, which no row has, for other texts. */
export function seqOfTask(taskId: string): number {
  return seqOf("t", taskId);
}

function seqOf(letter: string, id: string): number {
  return id.startsWith(letter) && numberPattern.test(id.slice(1)) ? Number(id.slice(1)) : -1;
}

/**
 * Decodes the cursor of a list by number.
 * @throws PageCursorError
 */
export function numberOfCursor(after: string | undefined, start: number): number {
  if (after === undefined) return start;
  if (!numberPattern.test(after)) throw new PageCursorError("after is not from a list of this kind");
  return Number(after);
}

/** The lease of a batch or, without a batch number, of a run's preparation. */
export interface LeaseToken {
  readonly runSeq: number;
  readonly number: number;
  /** Random: each lease has a different one. */
  readonly key: number;
  /** The number of the first batch of its page; undefined for a batch with a row of its own. */
  readonly page?: number;
}

const preparation = -1;
const batchToken = /^([0-9a-z]{1,10})\.([0-9a-z]{1,10})\.([0-9a-z]{1,10})(?:\.([0-9a-z]{1,10}))?$/;
/** Rows of pages have negative numbers, so that their first batch can have a row too. They keep their order. */
const pageOffset = 2 ** 40;

export function encodePreparation(runSeq: number, key: number): string {
  return `p${runSeq.toString(36)}.${key.toString(36)}`;
}

/** Returns the number of the row of a page. @param first the number of its first batch */
export function rowOf(first: number): number {
  return first - pageOffset;
}

/** Returns the number of the first batch of a page. @param row the number of its row */
export function firstOf(row: number): number {
  return row + pageOffset;
}

export function encodeBatchToken({ runSeq, number, key, page }: LeaseToken): string {
  const own = `${runSeq.toString(36)}.${number.toString(36)}.${key.toString(36)}`;
  return page === undefined ? own : `${own}.${page.toString(36)}`;
}

/** Decodes the token of a preparation; null for other texts, which count as stale. */
export function decodePreparation(token: string): LeaseToken | null {
  const [, runSeq = "", key = ""] = /^p([0-9a-z]{1,10})\.([0-9a-z]{1,10})$/.exec(token) ?? [];
  return runSeq === "" ? null : { runSeq: fromBase36(runSeq), number: preparation, key: fromBase36(key) };
}

/** Decodes the token of a batch; null for other texts, which count as stale. */
export function decodeBatchToken(token: string): LeaseToken | null {
  const [, runSeq = "", number = "", key = "", page] = batchToken.exec(token) ?? [];
  if (runSeq === "") return null;
  const own = { runSeq: fromBase36(runSeq), number: fromBase36(number), key: fromBase36(key) };
  return page === undefined ? own : { ...own, page: fromBase36(page) };
}

/**
 * Groups leases by run and key, sorted by run, key and number. Commits lock batches in this order, which prevents
 * deadlocks: the order of two leases does not depend on the others given.
 */
export function groupLeases<T extends { readonly lease: LeaseToken }>(
  given: readonly T[],
): Iterable<readonly T[]> {
  const sorted = given.toSorted(
    ({ lease: a }, { lease: b }) => a.runSeq - b.runSeq || a.key - b.key || a.number - b.number,
  );
  return Map.groupBy(sorted, ({ lease }) => `${lease.runSeq} ${lease.key}`).values();
}

function fromBase36(text: string): number {
  return Number.parseInt(text, 36);
}
