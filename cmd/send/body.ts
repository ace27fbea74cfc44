import { randomUUID } from "node:crypto";
import { UsageError } from "../terminal/user-error.ts";

/** The messages of a batch. */
export interface MessageOptions {
  readonly pushId?: readonly string[];
  /** `key=value` each. */
  readonly param?: readonly string[];
  readonly customParam?: readonly string[];
  readonly requestId?: string;
  readonly journey?: true;
  readonly projectId: number;
}

/** Encodes a batch with one message for each push id. @throws UserError */
export function encodeBatch(options: MessageOptions): Buffer {
  const { pushId = [], param = [], customParam = [] } = options;
  const params = pairsOf("--param", param);
  const customParams = pairsOf("--custom-param", customParam);
  const receipt = receiptOf(options);
  const messages = pushId.map((id) => ({
    push_id: id,
    ...(param.length > 0 && { params }),
    ...(customParam.length > 0 && { custom_params: customParams }),
    "#ops_receipt_properties": receipt,
  }));
  return Buffer.from(JSON.stringify(messages));
}

function receiptOf({ journey, projectId, requestId = randomUUID() }: MessageOptions): object {
  const name = "engage-send";
  return journey
    ? { ops_project_id: projectId, ops_flow_id: name, ops_flow_version: "1", ops_node_id: "1" }
    : {
        ops_project_id: projectId,
        ops_task_id: name,
        ops_task_instance_id: `${name}_1`,
        ops_task_exec_detail_id: name,
        ops_request_id: requestId,
      };
}

function pairsOf(option: string, pairs: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf("=");
      if (at < 1)
        throw new UsageError(`${option} is ${JSON.stringify(pair)}, must be a pair such as "title=hello"`);
      return [pair.slice(0, at), pair.slice(at + 1)];
    }),
  );
}

/** Returns the number of elements of a body; 0 unless it is an array. */
export function sizeOf(body: Uint8Array): number {
  try {
    const value: unknown = JSON.parse(Buffer.from(body).toString("utf8"));
    return Array.isArray(value) ? value.length : 0;
  } catch {
    return 0;
  }
}
