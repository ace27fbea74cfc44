import type { BodyMemory } from "./body-memory.ts";
import { knownTemplate, newTemplate } from "./write-payload.ts";

const lineEnd = 0x0a;
const comma = 0x2c;
const zero = 0x30;
const [bracket, endBracket] = [0x5b, 0x5d];

/** The JSON around the values of a message, as bytes. */
interface Template {
  readonly parts: readonly Uint8Array[];
  readonly bytes: number;
}

/**
 * Writes the body of a payload. It copies bytes: strings take a third more time, and make the garbage collector run.
 * @param payload also a body, as versions without payloads stored it
 */
export function writeBody(payload: Uint8Array, memory: BodyMemory): Uint8Array {
  if (payload[0] !== newTemplate) {
    const body = memory.take(payload.length).subarray(0, payload.length);
    body.set(payload);
    return body;
  }
  const templates: Template[] = [];
  let template: Template | undefined;
  let body = memory.take(0);
  let length = 0;
  for (let at = 0; at < payload.length; ) {
    const first = payload[at];
    if (first === newTemplate || first === knownTemplate) {
      const end = endOfLine(payload, at);
      const number = readNumber(payload, at + 1, end);
      at = end + 1;
      if (first === newTemplate) {
        templates.push(readTemplate(payload, at, number));
        at += templates.at(-1)!.bytes + number;
      }
      template = templates[first === newTemplate ? templates.length - 1 : number];
      continue;
    }
    // What follows the template's own bytes is at most the rest of the payload, a comma and the last bracket.
    const most = length + template!.bytes + payload.length - at + 2;
    if (most > body.length) body = memory.extend(body, length, most);
    body[length] = length === 0 ? bracket : comma;
    length++;
    const { parts } = template!;
    for (let i = 0; i < parts.length - 1; i++) {
      body.set(parts[i]!, length);
      length += parts[i]!.length;
      for (let byte = payload[at++]; byte !== undefined && byte !== lineEnd; byte = payload[at++]) {
        body[length++] = byte;
      }
    }
    body.set(parts.at(-1)!, length);
    length += parts.at(-1)!.length;
  }
  body[length++] = endBracket;
  return body.subarray(0, length);
}

function readTemplate(payload: Uint8Array, start: number, count: number): Template {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for (let at = start; parts.length < count; ) {
    const end = endOfLine(payload, at);
    parts.push(payload.subarray(at, end));
    bytes += end - at;
    at = end + 1;
  }
  return { parts, bytes };
}

function readNumber(payload: Uint8Array, start: number, end: number): number {
  let number = 0;
  for (let at = start; at < end; at++) number = 10 * number + payload[at]! - zero;
  return number;
}

function endOfLine(payload: Uint8Array, at: number): number {
  const end = payload.indexOf(lineEnd, at);
  return end === -1 ? payload.length : end;
}
