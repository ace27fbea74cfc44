const LF = 0x0a;
const CR = 0x0d;
const blank = 0x20;
const end = Buffer.from("}");

/**
 * One line of the spool: `{"p":projectId,"r":receivedMs,"b":body}`, without its
 * end. Line ends in the body, which in JSON stand only between values, become blanks.
 * @param body one record or a list of them, as JSON in UTF-8
 */
export function encodeSpoolLine(projectId: number, receivedMs: number, body: Uint8Array): Uint8Array {
  const head = Buffer.from(`{"p":${projectId},"r":${receivedMs},"b":`);
  const line = Buffer.concat([head, body, end]);
  if (line.includes(LF) || line.includes(CR)) {
    for (let at = head.length; at < line.length; at++) {
      if (line[at] === LF || line[at] === CR) line[at] = blank;
    }
  }
  return line;
}

export interface SpoolLine {
  readonly projectId: number;
  readonly receivedMs: number;
  readonly records: readonly unknown[];
}

/** Undefined when it is no such line. */
export function decodeSpoolLine(text: string): SpoolLine | undefined {
  let line: { readonly p?: unknown; readonly r?: unknown; readonly b?: unknown } | null;
  try {
    line = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof line?.p !== "number" || typeof line.r !== "number" || line.b === undefined) return undefined;
  return { projectId: line.p, receivedMs: line.r, records: Array.isArray(line.b) ? line.b : [line.b] };
}
