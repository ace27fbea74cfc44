import { writeSync } from "node:fs";
import { openSqliteInbox } from "../../../store/inbox/sqlite/open.ts";
import { batchOf } from "../../conformance/inbox/batches.ts";

// A process to be killed: accepts batches without end and writes the id of each to
// its output as soon as it has been acknowledged.
const [, , path = "", run = ""] = process.argv;
const inbox = await openSqliteInbox({ path, reserveBytes: 0, minFreeBytes: 0 });
const pushIds = Array.from({ length: 20 }, (_, i) => `p${i}`);
let last = 0;

async function acceptForEver(): Promise<never> {
  for (;;) {
    const requestId = `${run}-${++last}`;
    await inbox.accept(batchOf(pushIds, { requestId }));
    writeSync(1, `${requestId}\n`);
  }
}

await Promise.all([acceptForEver(), acceptForEver(), acceptForEver()]);
