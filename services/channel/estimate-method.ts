import type { ServiceImpl } from "@connectrpc/connect";
import { refuseViolations, under } from "../../base/rpc/invalid-fields.ts";
import type { ChannelSender } from "../../gen/engage/channel/v1/channel_sender_pb.ts";
import { createInTurn } from "./call-shares.ts";
import { checkProject } from "./channels/channel.ts";
import { checkProperty, violationOf } from "./channels/names.ts";
import type { SenderOptions } from "./ports.ts";
import { mapErrors } from "./refusals.ts";
import { checkAudience } from "./tasks/check-task.ts";

/** The method that counts an audience. */
export function createEstimateMethod(
  options: SenderOptions,
): Pick<ServiceImpl<typeof ChannelSender>, "estimateAudience"> {
  const { projects } = options;
  const inTurn = createInTurn(
    { what: "counts of audiences", maxRunning: 4, maxWaiting: 32 },
    options.callerOf,
  );
  return {
    estimateAudience: ({ projectId, audience, pushIdProperty }, context) =>
      mapErrors(async () => {
        refuseViolations([
          ...checkProject(projectId, projects),
          ...violationOf("push_id_property", checkProperty(pushIdProperty)),
        ]);
        refuseViolations(under("audience", checkAudience(audience, { projectId })));
        const { signal } = context;
        const request = { projectId, audience: audience!, pushIdProperty };
        const { size, warnings } = await inTurn(context, projectId, async () => {
          const { violations, warnings } = await options.checkAudience(projectId, audience!, signal);
          refuseViolations(under("audience", violations));
          return { size: await options.estimate(request, signal), warnings };
        });
        return { users: BigInt(size.users), reachable: BigInt(size.reachable), warnings: [...warnings] };
      }),
  };
}
