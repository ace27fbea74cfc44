import { all, type Operation, run, type Session } from "../../sql/query.ts";
import type { Share } from "../shares.ts";
import { giveShare, graceMs, type ShareAsked, type ShareRow, skewMs } from "./give-share.ts";
import { seqOfChannel } from "./ids.ts";

export interface Sharing extends ShareAsked {
  readonly channelId: string;
  readonly key: number;
  /** By the clock of leases. */
  readonly atMs: number;
}

/** What a process that had the file before has sent may still come, and is in a window with this one's. */
const aloneMs = 1_100;

export function* shareRate(session: Session, sharing: Sharing): Operation<Omit<Share, "token">> {
  const { channelId, key, atMs } = sharing;
  const seq = seqOfChannel(channelId);
  yield* lockShares(session, channelId);
  const rows = yield* all<ShareRow>(
    "SELECT share_key, per_second, held, wanted, until_ms FROM {shares} WHERE channel_seq = $1",
    seq,
  );
  const { share, own, changed, gone } = giveShare(rows, key, sharing, atMs);
  const isLeft = own.held === 0 && own.wanted === 0;
  for (const one of isLeft ? [...gone, key] : gone) yield* remove(seq, one);
  for (const row of isLeft ? changed : [...changed, own]) yield* write(seq, row);
  return share;
}

/** @param afterMs until what was sent is in no window any more */
export function* leaveRate(
  session: Session,
  { channelId, key, atMs }: Pick<Sharing, "channelId" | "key" | "atMs">,
  afterMs: number,
): Operation<void> {
  const seq = seqOfChannel(channelId);
  yield* lockShares(session, channelId);
  if (afterMs === 0) {
    yield* remove(seq, key);
    return;
  }
  yield* run(
    "UPDATE {shares} SET wanted = 0, until_ms = $1 WHERE channel_seq = $2 AND share_key = $3",
    ...[atMs + afterMs + skewMs - graceMs, seq, key],
  );
}

/** What is left was a process's that has ended, and whose clock may have been another. */
export function* forgetShares(atMs: number): Operation<void> {
  yield* run("UPDATE {shares} SET wanted = 0, until_ms = $1", atMs + aloneMs - graceMs);
}

function* lockShares({ dialect }: Session, channelId: string): Operation<void> {
  if (dialect.lockName !== null) yield* run(dialect.lockName, `engage shares of ${channelId}`);
}

function* remove(seq: number, key: number): Operation<void> {
  yield* run("DELETE FROM {shares} WHERE channel_seq = $1 AND share_key = $2", seq, key);
}

function* write(seq: number, row: ShareRow): Operation<void> {
  yield* run(
    `INSERT INTO {shares} (channel_seq, share_key, per_second, held, wanted, until_ms)
     VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT (channel_seq, share_key) DO UPDATE SET per_second = excluded.per_second,
       held = excluded.held, wanted = excluded.wanted, until_ms = excluded.until_ms`,
    ...[seq, row.share_key, row.per_second, row.held, row.wanted, row.until_ms],
  );
}
