import type { Share } from "../../../base/async/rate-shares.ts";
import { graceMs } from "../../sql/give-share.ts";
import { type Operation, run, type Session } from "../../sql/query.ts";
import * as shares from "../../sql/shares.ts";
import { seqOfChannel } from "./ids.ts";

export interface ChannelSharing extends shares.ShareRequest {
  readonly channelId: string;
}

const channelShares: shares.ShareTable = { table: "{shares}", column: "channel_seq" };

export function* shareRate(session: Session, sharing: ChannelSharing): Operation<Omit<Share, "token">> {
  return yield* shares.shareRate(session, rateOf(sharing.channelId), sharing);
}

export function* leaveRate(
  session: Session,
  leaving: Pick<ChannelSharing, "channelId" | "key" | "atMs">,
  afterMs: number,
): Operation<void> {
  yield* shares.leaveRate(session, rateOf(leaving.channelId), leaving, afterMs);
}

/**
 * How long calls of a previous process count after they began: 100 ms longer than `previousProcessMs` in
 * `store/sql/shares.ts`, since a call is recorded before it is sent, and there the process has already ended.
 */
const lateCallMs = 1_200;

/** Records when a call begins by a share, where one process has the file; replicas have leases for that. */
export function* recordCallTime({ dialect }: Session, runSeq: number, atMs: number): Operation<void> {
  if (dialect.lockName !== null) return;
  yield* run(
    `UPDATE {shares} SET begun_at_ms = $1
     WHERE channel_seq = (SELECT r.channel_seq FROM {runs} r WHERE r.seq = $2)`,
    atMs,
    runSeq,
  );
}

/**
 * Expires shares of a process which has ended. They count for a moment from its last call, not from
 * now: a process which is killed again and again would otherwise wait each time until it is killed.
 */
export function* expireShares(atMs: number): Operation<void> {
  yield* run(
    `UPDATE {shares} SET wanted = 0,
       until_ms = $1 + CASE WHEN begun_at_ms < $2 THEN begun_at_ms ELSE $2 END`,
    lateCallMs - graceMs,
    atMs,
  );
}

function rateOf(channelId: string): shares.StoredRate {
  return { ...channelShares, value: seqOfChannel(channelId), lock: `engage shares of ${channelId}` };
}
