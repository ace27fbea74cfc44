import type { Violation } from "../../../base/rpc/invalid-fields.ts";
import type { Channel } from "../../../gen/engage/channel/v1/channel_pb.ts";
import type { SenderPorts } from "../ports.ts";

type Rules = Pick<SenderPorts, "refusedAddress">;

/**
 * Refuses a URL that no message would be sent to. One that a channel has already is only warned of: the rules may
 * have changed since, and the channel's other settings can be changed all the same.
 * @param before the channel that is changed; undefined for a new one
 */
export async function checkAddress(
  { url }: Channel,
  before: Channel | undefined,
  { refusedAddress }: Rules,
  signal: AbortSignal,
): Promise<{ readonly violations: readonly Violation[]; readonly warnings: readonly string[] }> {
  const reason = await refusedAddress(url, signal);
  if (reason === undefined) return { violations: [], warnings: [] };
  if (before?.url === url) return { violations: [], warnings: [`messages cannot be sent to url: ${reason}`] };
  return { violations: [{ field: "url", problem: `is refused: ${reason}` }], warnings: [] };
}
