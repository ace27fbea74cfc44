import { setImmediate as nextTurn } from "node:timers/promises";

/** An answer of 10,000 groups by 365 days takes a second, in which nothing else would run. */
const maxTurnMs = 5;
const pieceLength = 65_536;

/** The bytes of a text in pieces; the event loop turns between them. @throws the signal's reason */
export async function writeInTurns(parts: Iterable<string>, signal: AbortSignal): Promise<Uint8Array> {
  const pieces: Buffer[] = [];
  let text = "";
  let turnMs = performance.now();
  for (const part of parts) {
    text += part;
    if (text.length < pieceLength) continue;
    pieces.push(Buffer.from(text));
    text = "";
    if (performance.now() - turnMs < maxTurnMs) continue;
    await nextTurn();
    signal.throwIfAborted();
    turnMs = performance.now();
  }
  pieces.push(Buffer.from(text));
  return pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces);
}
