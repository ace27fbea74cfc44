import type { Journey } from "../../../gen/engage/channel/v1/task_pb.ts";

/** The run of a message, by its ids in receipts. */
export type PushOrigin =
  | {
      readonly kind: "task";
      readonly taskId: string;
      readonly taskInstanceId: string;
      readonly execDetailId: string;
    }
  | ({ readonly kind: "journey" } & Pick<Journey, "flowId" | "flowVersion" | "nodeId">);

export interface ReceiptIds {
  readonly projectId: number;
  readonly origin: PushOrigin;
  /** Group of an A/B test; empty if there is none. */
  readonly groupId: string;
  /** Language of the content; empty if the push has only one. */
  readonly language: string;
}

/** Writes `#ops_receipt_properties` of a batch's messages. @param requestId ignored for journeys */
export type WriteReceipts = (requestId: string) => string;

/**
 * Compiles receipts with exactly the members of the kind of push; the project id is a number, all others are strings.
 */
export function compileReceipts({ projectId, origin, groupId, language }: ReceiptIds): WriteReceipts {
  const optional = {
    ...(groupId !== "" && { ops_exp_group_id: groupId }),
    ...(language !== "" && { ops_push_language: language }),
  };
  if (origin.kind === "journey") {
    const text = JSON.stringify({
      ops_project_id: projectId,
      ops_flow_id: origin.flowId,
      ops_flow_version: origin.flowVersion,
      ops_node_id: origin.nodeId,
      ...optional,
    });
    return () => text;
  }
  const head = JSON.stringify({
    ops_project_id: projectId,
    ops_task_id: origin.taskId,
    ops_task_instance_id: origin.taskInstanceId,
    ops_task_exec_detail_id: origin.execDetailId,
    ...optional,
  }).slice(0, -1);
  return (requestId) => `${head},"ops_request_id":${JSON.stringify(requestId)}}`;
}
