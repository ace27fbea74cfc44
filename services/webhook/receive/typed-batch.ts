import { toJson } from "@bufbuild/protobuf";
import { type Value, ValueSchema } from "@bufbuild/protobuf/wkt";
import { readValue } from "../../../base/json/cursor.ts";
import { JsonFault } from "../../../base/json/fault.ts";
import type { WebhookMessage } from "../../../gen/engage/webhook/v1/message_pb.ts";

/** Typed messages, encoded as the platform sends them. */
export interface TypedBatch {
  readonly body: Buffer;
  /** Faults of messages that cannot be written as JSON, by 0-based index. */
  readonly faults: ReadonlyMap<number, string>;
}

const maxReceiptDepth = 60;

/**
 * Encodes typed messages as a JSON array. Equal messages give equal bytes, in any order of their maps, since repeats
 * are recognised by bytes. `raw_receipt` is copied byte for byte.
 */
export function encodeBatch(messages: readonly WebhookMessage[]): TypedBatch {
  const faults = new Map<number, string>();
  const parts: Uint8Array[] = [];
  messages.forEach((message, index) => {
    parts.push(Buffer.from(index === 0 ? "[" : ","));
    try {
      parts.push(...encodeMessage(message));
    } catch (error) {
      if (!(error instanceof UnwritableError)) throw error;
      faults.set(index, error.message);
      parts.push(Buffer.from("{}"));
    }
  });
  parts.push(Buffer.from(messages.length === 0 ? "[]" : "]"));
  return { body: Buffer.concat(parts), faults };
}

class UnwritableError extends Error {}

function encodeMessage(message: WebhookMessage): readonly Uint8Array[] {
  const { pushId, params, customParams, opsReceiptProperties: receipt, rawReceipt } = message;
  const head = JSON.stringify({
    push_id: pushId,
    params: valuesOf("params", params),
    custom_params: valuesOf("custom_params", customParams),
  });
  const open = Buffer.from(`${head.slice(0, -1)},"#ops_receipt_properties":`);
  const close = Buffer.from("}");
  if (rawReceipt.length > 0) return [open, cutReceipt(rawReceipt), close];
  return [
    open,
    Buffer.from(receipt === undefined ? "null" : writeJson("#ops_receipt_properties", receipt)),
    close,
  ];
}

function cutReceipt(bytes: Uint8Array): Uint8Array {
  try {
    const { kind, start, end } = readValue(bytes, maxReceiptDepth);
    if (kind === "object") return bytes.subarray(start, end);
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    throw new UnwritableError(`raw_receipt must be one JSON object: ${error.message}`);
  }
  throw new UnwritableError("raw_receipt must be one JSON object");
}

function valuesOf(field: string, values: Readonly<Record<string, Value>>): Record<string, unknown> {
  const keys = Object.keys(values).sort();
  return Object.fromEntries(
    keys.map((key) => {
      try {
        return [key, sortKeys(toJson(ValueSchema, values[key]!))];
      } catch {
        throw new UnwritableError(
          `${field} has in ${JSON.stringify(key)} a value that cannot be written as JSON`,
        );
      }
    }),
  );
}

function writeJson(field: string, value: object): string {
  try {
    return JSON.stringify(sortKeys(value));
  } catch {
    throw new UnwritableError(`${field} cannot be written as JSON`);
  }
}

function sortKeys(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(sortKeys);
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, item]) => [key, sortKeys(item)]));
}
