import type { JsonObject } from "@bufbuild/protobuf";
import type { BodyExample } from "../../../gateway/openapi/examples.ts";

/** Returns a body as it stands in the document: parsed if it is JSON, otherwise as text. */
export function bodyExample(type: string, text: string): BodyExample {
  return { type, value: type === "application/json" ? JSON.parse(text) : text };
}

/** Returns the first lines of a stream and ends it, or all of its text if `count` is undefined. */
export async function readLines(
  response: Response,
  count: number | undefined,
  onFirst: () => Promise<unknown>,
): Promise<string> {
  let text = "";
  let isFirst = true;
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (isFirst) await onFirst();
    isFirst = false;
    // Leaving the loop ends the call.
    if (count !== undefined && text.split("\n").length > count) break;
  }
  return text;
}

/** Returns a text within the JSON of a response. @throws Error if the response has no such text */
export function textAt(json: JsonObject, ...keys: readonly (string | number)[]): string {
  const value = keys.reduce<unknown>((inner, key) => (inner as JsonObject | undefined)?.[key], json);
  if (typeof value === "string") return value;
  throw new Error(`${keys.join(".")} of ${JSON.stringify(json)} is no text`);
}
