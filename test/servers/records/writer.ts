import { writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { openPostgresRecords } from "../../../store/records/postgres/open.ts";
import { RecordsUnavailableError } from "../../../store/records/records.ts";

/** Appends `{"w":<writer>,"n":<number>}` for each number, and writes the number when it is acknowledged. */
const [url = "", schema = "", writer = ""] = process.argv.slice(2);
const records = await openPostgresRecords({ url, schema });
const spool = records.open({ project: 7, maxTableBytes: 2_000, checksums: true });
let n = 0;

async function append(line: Buffer): Promise<void> {
  for (;;) {
    try {
      return await spool.append(line);
    } catch (error) {
      if (!(error instanceof RecordsUnavailableError)) throw error;
      await sleep(20);
    }
  }
}

async function work(): Promise<never> {
  for (;;) {
    const number = n++;
    await append(Buffer.from(JSON.stringify({ w: writer, n: number })));
    writeSync(1, `${number}\n`);
  }
}

await Promise.all(Array.from({ length: 8 }, work));
