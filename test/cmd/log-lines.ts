import { Writable } from "node:stream";
import pino, { type Logger } from "pino";

/** A logger whose lines are kept, without what differs from run to run. */
export function createLog(): { lines: Record<string, unknown>[]; logger: Logger } {
  const lines: Record<string, unknown>[] = [];
  const sink = new Writable({
    write(chunk, _encoding, done) {
      const { time, pid, hostname, ...line } = JSON.parse(String(chunk));
      lines.push(line);
      done();
    },
  });
  return { lines, logger: pino({ formatters: { level: (level) => ({ level }) } }, sink) };
}
