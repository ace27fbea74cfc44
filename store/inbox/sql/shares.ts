import type { Share } from "../../../base/async/rate-shares.ts";
import type { Operation, Session } from "../../sql/query.ts";
import * as shares from "../../sql/shares.ts";

export interface TargetSharing extends Omit<shares.ShareRequest, "atMs"> {
  readonly target: string;
}

export const targetShares: shares.ShareTable = { table: "{target_shares}", column: "name" };

export function* shareRate(session: Session, sharing: TargetSharing): Operation<Omit<Share, "token">> {
  return yield* shares.shareRate(session, rateOf(sharing.target), { ...sharing, atMs: session.nowMs });
}

export function* leaveRate(
  session: Session,
  { target, key }: Pick<TargetSharing, "target" | "key">,
  afterMs: number,
): Operation<void> {
  yield* shares.leaveRate(session, rateOf(target), { key, atMs: session.nowMs }, afterMs);
}

function rateOf(target: string): shares.StoredRate {
  return { ...targetShares, value: target, lock: `engage shares of target ${target}` };
}
