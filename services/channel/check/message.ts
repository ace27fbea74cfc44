import type { Session } from "./session.ts";

/** Every push id that is sent begins so, so that a receiver can leave the messages of a check undelivered. */
export const reservedPushIdPrefix = "engage-check-";

/** A JSON value of a message; whatever a probe wants to send. */
export type Message = Readonly<Record<string, unknown>>;

/**
 * The receipt of a task push: of one batch by this id.
 * @param taskId of a task of its own for each batch unless given, so that what takes another id for the batch's is found once
 */
export function taskReceipt({ options }: Session, requestId: string, taskId = requestId): Message {
  return {
    ops_project_id: options.projectId,
    ops_task_id: `engage-check-${taskId}`,
    ops_task_instance_id: `engage-check-${taskId}_1`,
    ops_task_exec_detail_id: `engage-check-${taskId}`,
    ops_request_id: requestId,
  };
}

/** The receipt of a journey, which has no request id. */
export function journeyReceipt({ options }: Session, flowId: string): Message {
  return {
    ops_project_id: options.projectId,
    ops_flow_id: `engage-check-${flowId}`,
    ops_flow_version: "1",
    ops_node_id: "1",
  };
}

/** A good message for the reserved user of this number. */
export function messageFor(number: number, receipt: Message, more: Message = {}): Message {
  return {
    push_id: `${reservedPushIdPrefix}${number}`,
    params: { title: "engage check", content: "a test message that nobody has to see" },
    ...more,
    "#ops_receipt_properties": receipt,
  };
}

/** Good messages of one fresh batch. */
export function goodMessages(session: Session, count: number, more: Message = {}): readonly Message[] {
  const receipt = taskReceipt(session, session.options.randomId());
  return Array.from({ length: count }, (_, at) => messageFor(at + 1, receipt, more));
}

/** A message that a receiver can't take: for the push id known as bad, or for none. */
export function badMessage({ options: { knownBadPushId } }: Session, receipt: Message): Message {
  const { push_id: _none, ...rest } = messageFor(0, receipt);
  return knownBadPushId === undefined ? rest : { push_id: knownBadPushId, ...rest };
}

/** Compact JSON without a character beyond ASCII: the bytes on which every JSON library agrees. */
export function encodeMessages(messages: readonly Message[]): Uint8Array {
  return Buffer.from(JSON.stringify(messages));
}
