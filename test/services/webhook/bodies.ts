import { readFileSync } from "node:fs";

/** The bytes of one case of test/testdata/cases. */
export function readBody(file: string): Buffer {
  return readFileSync(new URL(`../../testdata/cases/${file}`, import.meta.url));
}

/** A batch of one good element for each push id, all with this request id. */
export function batchOf(pushIds: readonly string[], requestId?: string): Buffer {
  const receipt = { ops_project_id: 1, ...(requestId !== undefined && { ops_request_id: requestId }) };
  return Buffer.from(
    JSON.stringify(pushIds.map((push_id) => ({ push_id, "#ops_receipt_properties": receipt }))),
  );
}
