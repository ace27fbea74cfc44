import { randomUUID } from "node:crypto";
import type { ServiceImpl } from "@connectrpc/connect";
import { ReceiverChecker } from "../../../gen/engage/channel/v1/receiver_checker_pb.ts";
import type { Config } from "../../config/config.ts";
import { callerOf } from "../gateway-ports.ts";
import { createLateService } from "../lazy.ts";
import { createChannelOutbound } from "./outbound.ts";
import { findRefusedAddress } from "./refused-address.ts";

/** Less than senders read: hundreds of responses may arrive at once, and those to probes are short. */
const maxResponseBytes = 262_144;

/** Creates the service ReceiverChecker, which calls the addresses that the sender of channels may call. */
export function createLateChecker(
  config: Config,
  stopping: AbortSignal,
): ServiceImpl<typeof ReceiverChecker> {
  return createLateService(ReceiverChecker, async () => {
    const [{ createReceiverChecker }, { createExchange }] = await Promise.all([
      import("../../../services/channel/check/checker.ts"),
      import("../../../services/channel/exchange/exchange.ts"),
    ]);
    const outbound = createChannelOutbound(config);
    return createReceiverChecker({
      openExchange: (url, maxConnections) =>
        createExchange({ url, outbound, maxConnections, maxResponseBytes }),
      refusedAddress: (url, signal) => findRefusedAddress(outbound, url, signal),
      callerOf,
      stopping,
      after: (ms) => AbortSignal.timeout(ms),
      monotonicMs: () => performance.now(),
      randomId: randomUUID,
    });
  });
}
