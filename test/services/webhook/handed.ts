import type { HandedBatch } from "../../../services/webhook/targets/target.ts";

/** A message as a platform sends it, in its own bytes. */
export function messageJson(
  pushId: string,
  receipt = '{"ops_project_id":1}',
  params = '{"title":"Hi"}',
): string {
  return `{"push_id":${JSON.stringify(pushId)},"params":${params},"#ops_receipt_properties":${receipt}}`;
}

/** The handed form of messages in JSON, as the inbox leases it. */
export function handedBatch(messages: readonly string[], changes: Partial<HandedBatch> = {}): HandedBatch {
  const { target = "crm", batchId = "b1" } = changes;
  return {
    target,
    batchId,
    channel: "mail",
    requestId: "r1",
    acceptedAtMs: 1_700_000_000_000,
    attempt: 1,
    replay: null,
    elements: messages.map((text, index) => toElement(text, index, `${batchId}.${index}.${target}`)),
    ...changes,
  };
}

function toElement(text: string, index: number, deliveryId: string): HandedBatch["elements"][number] {
  const json = Buffer.from(text);
  const { push_id: pushId } = JSON.parse(text) as { push_id: string };
  const name = Buffer.from('"#ops_receipt_properties":');
  const start = json.indexOf(name) + name.length;
  const receipt = json.subarray(start, json.length - 1);
  return { deliveryId, index, pushId: String(pushId), json, receipt };
}
