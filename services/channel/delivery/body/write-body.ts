import type { BodyMemory } from "./body-memory.ts";
import { knownTemplate, newTemplate } from "./write-payload.ts";

const lineEnd = 0x0a;
const comma = 0x2c;
const zero = 0x30;
const [bracket, endBracket] = [0x5b, 0x5d];

/** The JSON around the values of a message, as bytes. */
interface Template {
  readonly parts: readonly Uint8Array[];
  /** The last part, a comma and the first part: what is between the values of two messages. */
  readonly between: Uint8Array;
  readonly bytes: number;
}

/**
 * Writes the body of a payload. It copies bytes: strings take a third more time, and make the garbage collector run.
 * @param payload also a body, as versions without payloads stored it
 */
export function writeBody(payload: Uint8Array, memory: BodyMemory): Uint8Array {
  const { length: end } = payload;
  if (payload[0] !== newTemplate) {
    const body = memory.take(end).subarray(0, end);
    body.set(payload);
    return body;
  }
  const templates: Template[] = [];
  let body = memory.take(0);
  let length = 0;
  for (let at = 0; at < end; ) {
    const lineEndAt = endOfLine(payload, at);
    const number = readNumber(payload, at + 1, lineEndAt);
    const isNew = payload[at] === newTemplate;
    at = lineEndAt + 1;
    if (isNew) {
      templates.push(readTemplate(payload, at, number));
      at += templates.at(-1)!.bytes + number;
    }
    const { parts, between, bytes } = templates[isNew ? templates.length - 1 : number]!;
    const last = parts.length - 1;
    let part = parts[0]!;
    // The messages of this template.
    while (at < end && payload[at] !== newTemplate && payload[at] !== knownTemplate) {
      // What follows the template's own bytes is at most the rest of the payload, a comma and the last bracket.
      const most = length + bytes + end - at + 2;
      if (most > body.length) body = memory.extend(body, length, most);
      if (part !== between) {
        body[length] = length === 0 ? bracket : comma;
        length++;
      }
      for (let i = 1; i <= last; i++) {
        body.set(part, length);
        length += part.length;
        for (; at < end; at++) {
          const byte = payload[at]!;
          if (byte === lineEnd) break;
          body[length++] = byte;
        }
        at++;
        part = i === last ? between : parts[i]!;
      }
    }
    body.set(parts[last]!, length);
    length += parts[last]!.length;
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
  const between = Buffer.concat([parts.at(-1)!, Uint8Array.of(comma), parts[0]!]);
  return { parts, between, bytes };
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
