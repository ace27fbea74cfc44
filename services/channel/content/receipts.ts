import type { Journey } from "../../../gen/engage/channel/v1/task_pb.ts";

/** The run that a message is of; its ids are those of receipts. */
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
  /** Empty: no A/B test. */
  readonly groupId: string;
  /** Empty: the push has one language. */
  readonly language: string;
}

/** Writes `#ops_receipt_properties` of a batch's messages. @param requestId not looked at for journeys */
export type WriteReceipts = (requestId: string) => string;

/** Exactly the members that the kind of push has; the project is a number, all else is text. */
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
