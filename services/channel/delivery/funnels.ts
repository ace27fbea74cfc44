import type { MessageInitShape } from "@bufbuild/protobuf";
import type { FunnelSchema } from "../../../gen/engage/channel/v1/statistics_pb.ts";
import { defaultClickEvent, defaultConversionHours } from "../channels/settings.ts";
import type { FunnelCounts, FunnelEvents, FunnelQuery, FunnelRequest } from "../ports.ts";

const hourMs = 3_600_000;

/**
 * Computes the funnels of a run: of all users, then of each A/B group and language if there are several. The counts of
 * sent and succeeded messages come from the channel store; all later steps count users with events whose receipts
 * belong to the run. A conversion counts for users with such an event, from the beginning of the run until the
 * conversion window after its end.
 */
export async function computeFunnels(
  { channel, task, run, statistics }: FunnelRequest,
  events: FunnelEvents,
  nowMs: number,
  signal: AbortSignal,
): Promise<readonly MessageInitShape<typeof FunnelSchema>[]> {
  const { stepEvents = [], clickEvent, conversionEvents = [], conversionWindowHours } = channel.funnel ?? {};
  const { flowId, flowVersion, nodeId } = task.journey ?? {};
  const windowMs = (conversionWindowHours ?? defaultConversionHours) * hourMs;
  const query: FunnelQuery = {
    projectId: Number(channel.projectId),
    receipt:
      flowId === undefined
        ? { ops_task_instance_id: run.runId }
        : { ops_flow_id: flowId, ops_flow_version: flowVersion!, ops_node_id: nodeId! },
    events: [...stepEvents, clickEvent || defaultClickEvent],
    conversionEvents,
    fromMs: run.startedAtMs,
    toMs: (run.endedAtMs ?? nowMs) + windowMs,
  };
  const found = await events(query, signal);
  const names = [...stepEvents, "click"];
  const toSteps = (sent: number, succeeded: number, { users, conversions }: FunnelCounts) => [
    { name: "sent", users: BigInt(sent) },
    { name: "succeeded", users: BigInt(succeeded) },
    ...names.map((name, i) => ({ name, users: BigInt(users[i] ?? 0) })),
    ...(conversionEvents.length === 0 ? [] : [{ name: "conversion", users: BigInt(conversions) }]),
  ];
  const all = { steps: toSteps(statistics.sent, statistics.succeeded, found) };
  if (statistics.segments.length < 2) return [all];
  const isMultiLanguage = new Set(statistics.segments.map(({ language }) => language)).size > 1;
  return [
    all,
    ...statistics.segments.map(({ groupId, language, sent, succeeded }) => {
      const counts = found.segments.find(
        (one) => one.groupId === groupId && (one.language === language || one.language === ""),
      );
      const steps = toSteps(sent, succeeded, counts ?? { users: [], conversions: 0 });
      return { groupId, language: isMultiLanguage ? language : "", steps };
    }),
  ];
}
