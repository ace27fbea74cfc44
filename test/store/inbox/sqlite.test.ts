import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqliteInbox } from "../../../store/inbox/sqlite/open.ts";
import { testInbox } from "../../conformance/inbox.ts";

testInbox("SQLite inbox", async () => {
  const folder = await mkdtemp(join(tmpdir(), "inbox-"));
  return {
    open: (options) =>
      openSqliteInbox({ ...options, path: join(folder, "inbox.db"), reserveBytes: 0, minFreeBytes: 0 }),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
});
