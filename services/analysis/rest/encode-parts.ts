import { createYield } from "../../../base/async/yield.ts";

const pieceLength = 65_536;

/**
 * The UTF-8 bytes of a text, encoded in pieces between which the event loop does
 * other work: an answer of 10,000 groups by 365 days takes a second.
 * @throws the signal's reason
 */
export async function encodeParts(parts: Iterable<string>, signal: AbortSignal): Promise<Uint8Array> {
  const yieldToEventLoop = createYield({ signal });
  const pieces: Buffer[] = [];
  let text = "";
  for (const part of parts) {
    text += part;
    if (text.length >= pieceLength) {
      pieces.push(Buffer.from(text));
      text = "";
    }
    const yielding = yieldToEventLoop();
    if (yielding !== undefined) await yielding;
  }
  pieces.push(Buffer.from(text));
  return pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces);
}
