import type { ShareAsked } from "../../base/async/rate-shares.ts";

export type { Share } from "../../base/async/rate-shares.ts";

/** What a process asks of the rate of a channel. */
export interface ShareRequest extends ShareAsked {
  readonly channelId: string;
}
