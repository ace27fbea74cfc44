import { PageCursorError } from "../channels.ts";

/** 15 digits stay below 2^53. */
const NUMBER = /^\d{1,15}$/;

export function channelIdOf(seq: number): string {
  return `c${seq}`;
}

export function taskIdOf(seq: number): string {
  return `t${seq}`;
}

/** -1, which no row has, for what is no id of this kind. */
export function seqOfChannel(channelId: string): number {
  return seqOf("c", channelId);
}

/** As `seqOfChannel`. */
export function seqOfTask(taskId: string): number {
  return seqOf("t", taskId);
}

function seqOf(letter: string, id: string): number {
  return id.startsWith(letter) && NUMBER.test(id.slice(1)) ? Number(id.slice(1)) : -1;
}

/** @throws PageCursorError */
export function numberOfCursor(after: string | undefined, start: number): number {
  if (after === undefined) return start;
  if (!NUMBER.test(after)) throw new PageCursorError("after is not from a list of this kind");
  return Number(after);
}

/** A run's lease has no batch number. */
export interface LeaseToken {
  readonly runSeq: number;
  readonly number: number;
  /** Random: another lease of the same thing has another one. */
  readonly key: number;
}

const preparation = -1;
const batchToken = /^([0-9a-z]{1,10})\.([0-9a-z]{1,10})\.([0-9a-z]{1,10})$/;

export function encodePreparation(runSeq: number, key: number): string {
  return `p${runSeq.toString(36)}.${key.toString(36)}`;
}

export function encodeBatchToken({ runSeq, number, key }: LeaseToken): string {
  return [runSeq, number, key].map((part) => part.toString(36)).join(".");
}

/** Null: no token, so as good as a void one. */
export function decodePreparation(token: string): LeaseToken | null {
  const [, runSeq = "", key = ""] = /^p([0-9a-z]{1,10})\.([0-9a-z]{1,10})$/.exec(token) ?? [];
  return runSeq === "" ? null : { runSeq: fromBase36(runSeq), number: preparation, key: fromBase36(key) };
}

/** As `decodePreparation`. */
export function decodeBatchToken(token: string): LeaseToken | null {
  const [, runSeq = "", number = "", key = ""] = batchToken.exec(token) ?? [];
  if (runSeq === "") return null;
  return { runSeq: fromBase36(runSeq), number: fromBase36(number), key: fromBase36(key) };
}

/** The order in which commits change batches, so that two can't block each other. */
export function compareLeases(a: LeaseToken, b: LeaseToken): number {
  return a.runSeq - b.runSeq || a.number - b.number || a.key - b.key;
}

/** Tokens of batches in the order of `compareLeases`, those that are none first. */
export function sortTokens(
  tokens: readonly string[],
): readonly { readonly token: string; readonly lease: LeaseToken | null }[] {
  const read = tokens.map((token) => ({ token, lease: decodeBatchToken(token) }));
  return read.sort((a, b) =>
    a.lease === null || b.lease === null
      ? Number(a.lease !== null) - Number(b.lease !== null)
      : compareLeases(a.lease, b.lease),
  );
}

function fromBase36(text: string): number {
  return Number.parseInt(text, 36);
}
