import { writeSync } from "node:fs";
import { openSqliteInbox } from "../../../../store/inbox/sqlite/open.ts";
import { batchOf } from "../../../conformance/inbox/batches.ts";

// A process for tests that kill, trace or limit it: accepts batches, without end unless a
// number is given, and writes the id of each to its output as soon as it is acknowledged,
// or the name of the error.
const [, , path = "", run = "", senders = "3", count = "Infinity"] = process.argv;
// With a listener, a file beyond the size limit of the process is an I/O error and does not end it.
process.on("SIGXFSZ", () => {});
const mark = { path: `${path}.mark`, advice: "accept it" };
const inbox = await openSqliteInbox({ path, mark, reserveBytes: 0, minFreeBytes: 0 });
const pushIds = Array.from({ length: 20 }, (_, i) => `p${i}`);
let last = 0;

async function acceptAll(): Promise<void> {
  while (last < Number(count)) {
    const requestId = `${run}-${++last}`;
    const said = await inbox.accept(batchOf(pushIds, { requestId })).then(
      () => requestId,
      (error: Error) => `${error.name}: ${error.message}`,
    );
    say(`${said}\n`);
  }
}

/** Writes the line before it returns; waits while the reader is late, which a pipe does not do itself. */
function say(line: string): void {
  while (!isSaid(line)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
}

function isSaid(line: string): boolean {
  try {
    return writeSync(1, line) > 0;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EAGAIN") return false;
    throw error;
  }
}

await Promise.all(Array.from({ length: Number(senders) }, acceptAll));
await inbox[Symbol.asyncDispose]();
