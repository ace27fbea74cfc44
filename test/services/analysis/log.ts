import { Writable } from "node:stream";
import { pino } from "pino";

/** A log that is kept as text. */
export function createLog() {
  let written = "";
  const stream = new Writable({
    write(chunk, _encoding, done) {
      written += String(chunk);
      done();
    },
  });
  return { logger: pino({ level: "trace" }, stream), text: () => written };
}
