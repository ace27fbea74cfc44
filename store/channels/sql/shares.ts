import type { Share } from "../../../base/async/rate-shares.ts";
import type { Operation, Session } from "../../sql/query.ts";
import * as shares from "../../sql/shares.ts";
import { seqOfChannel } from "./ids.ts";

export interface ChannelSharing extends shares.Sharing {
  readonly channelId: string;
}

const TABLE: shares.ShareTable = { table: "{shares}", column: "channel_seq" };

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

export function* forgetShares(atMs: number): Operation<void> {
  yield* shares.forgetShares(TABLE, atMs);
}

function rateOf(channelId: string): shares.RateOf {
  return { ...TABLE, value: seqOfChannel(channelId), lock: `engage shares of ${channelId}` };
}
