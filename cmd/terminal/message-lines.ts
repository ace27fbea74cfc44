import { Writable } from "node:stream";

/**
 * Returns a stream whose lines are written to another as JSON, one object with a `message` each, for commands whose
 * results are sentences.
 */
export function messageLines(stdout: { write(text: string): boolean }): Writable {
  let rest = "";
  return new Writable({
    decodeStrings: false,
    write(chunk: string | Buffer, _encoding, done) {
      const lines = `${rest}${chunk}`.split("\n");
      rest = lines.pop()!;
      for (const message of lines) stdout.write(`${JSON.stringify({ message })}\n`);
      done();
    },
  });
}
