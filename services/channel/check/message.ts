import type { Session } from "./session.ts";

/** The prefix of all push ids of a check. A receiver may drop messages for them. */
const reservedPushIdPrefix = "engage-check-";

/** A message of a batch, valid or not. */
export type Message = Readonly<Record<string, unknown>>;

/**
 * Returns the receipt of a message that belongs to the batch `requestId` of a task.
 * @param taskId default: a task of its own for each batch, so that only the probes of repeats find a receiver that
 *   identifies batches by another id
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

/** Returns the receipt of a message of a journey, which has no request id. */
export function journeyReceipt({ options }: Session, flowId: string): Message {
  return {
    ops_project_id: options.projectId,
    ops_flow_id: `engage-check-${flowId}`,
    ops_flow_version: "1",
    ops_node_id: "1",
  };
}

/** Returns a valid message for the reserved push id with this number. */
export function messageFor(number: number, receipt: Message, more: Message = {}): Message {
  return {
    push_id: `${reservedPushIdPrefix}${number}`,
    params: { title: "engage check", content: "a test message" },
    ...more,
    "#ops_receipt_properties": receipt,
  };
}

/** Returns valid messages of a new batch. */
export function goodMessages(session: Session, count: number, more: Message = {}): readonly Message[] {
  const receipt = taskReceipt(session, session.options.randomId());
  return Array.from({ length: count }, (_, at) => messageFor(at + 1, receipt, more));
}

/** Returns a message that a receiver must refuse: with the push id that is known as bad, or without one. */
export function badMessage({ options: { knownBadPushId } }: Session, receipt: Message): Message {
  const { push_id: _none, ...rest } = messageFor(0, receipt);
  return knownBadPushId === undefined ? rest : { push_id: knownBadPushId, ...rest };
}

/** Writes compact JSON. All JSON libraries write the same bytes for it, as long as its texts are ASCII. */
export function encodeMessages(messages: readonly Message[]): Uint8Array {
  return Buffer.from(JSON.stringify(messages));
}
