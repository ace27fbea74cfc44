import type { BatchElement, NewBatch, WorkItem } from "../../../store/inbox/inbox.ts";

/** One element's bytes: a receipt that no JSON library gives back as it came. */
function elementText(pushId: string, i: number): { readonly text: string; readonly receipt: string } {
  const receipt = `{ "z":1.0, "big":1234567890123456789${i}, "1":"\\u00e9", "1":2e0 }`;
  return { text: `{"push_id":${JSON.stringify(pushId)}, "#ops_receipt_properties":${receipt}}`, receipt };
}

/** A body of one element per push id, with the ranges a scan of it would give. */
export function bodyOf(pushIds: readonly string[]): { body: Uint8Array; elements: BatchElement[] } {
  const elements: BatchElement[] = [];
  const parts: Buffer[] = [Buffer.from("[ ")];
  let at = 2;
  for (const [index, pushId] of pushIds.entries()) {
    const { text, receipt } = elementText(pushId, index);
    const bytes = Buffer.from(text);
    const receiptStart = at + bytes.length - 1 - Buffer.byteLength(receipt);
    elements.push({
      index,
      pushId,
      start: at,
      end: at + bytes.length,
      receiptStart,
      receiptEnd: at + bytes.length - 1,
    });
    parts.push(bytes, Buffer.from(" ,\n"));
    at += bytes.length + 3;
  }
  return { body: Buffer.concat([...parts, Buffer.from("]")]), elements };
}

/** Returns a batch for the target "t" of the channel "c", with a reply, unless changed. */
export function batchOf(pushIds: readonly string[], changes: Partial<NewBatch> = {}): NewBatch {
  const { body, elements } = bodyOf(pushIds);
  return {
    channel: "c",
    requestId: null,
    body,
    elements,
    routes: [{ target: "t", indexes: "all" }],
    reply: Buffer.from(`{"return_code":0,"n":${pushIds.length}}`),
    ...changes,
  };
}

export function text(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString();
}

export function indexesOf(item: WorkItem): number[] {
  return item.elements.map(({ index }) => index);
}

/** Push ids of all items, in the order they came. */
export function pushIdsOf(items: readonly WorkItem[]): string[] {
  return items.flatMap((item) => item.elements.map(({ pushId }) => pushId));
}
