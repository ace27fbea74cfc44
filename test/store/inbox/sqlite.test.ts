import { join } from "node:path";
import { openSqliteInbox } from "../../../store/inbox/sqlite/open.ts";
import { testInbox } from "../../conformance/inbox.ts";
import { openTempFolder } from "./temp-folder.ts";

testInbox("SQLite inbox", async () => {
  const folder = await openTempFolder();
  return {
    open: (options) =>
      openSqliteInbox({ ...options, path: join(folder.path, "inbox.db"), reserveBytes: 0, minFreeBytes: 0 }),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
});
