import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { openSqliteInbox } from "../../../../store/inbox/sqlite/open.ts";
import { testInbox } from "../../../conformance/inbox.ts";
import { openTempFolder } from "../temp-folder.ts";

testInbox("SQLite inbox", async () => {
  const folder = await openTempFolder();
  return {
    open: (options) =>
      openSqliteInbox({ ...options, path: join(folder.path, "inbox.db"), reserveBytes: 0, minFreeBytes: 0 }),
    async tamper(sql) {
      const db = new DatabaseSync(join(folder.path, "inbox.db"));
      db.exec(sql.replaceAll("{bytes}", "BLOB").replaceAll(/\{(\w+)\}/g, "$1"));
      db.close();
    },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
});
