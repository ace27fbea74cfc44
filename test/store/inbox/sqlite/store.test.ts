import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { openSqliteInbox } from "../../../../store/inbox/sqlite/open.ts";
import type { QuietTimes } from "../../../../store/sql/sqlite/thread-on-demand.ts";
import type { InboxStore } from "../../../conformance/inbox/store.ts";
import { testInbox } from "../../../conformance/inbox.ts";
import { casesOf } from "../../../thorough.ts";
import { openTempFolder } from "../temp-folder.ts";

const small = { reserveBytes: 0, minFreeBytes: 0 };

async function createStore(quiet?: QuietTimes): Promise<InboxStore> {
  const folder = await openTempFolder();
  return {
    open: (options) => openSqliteInbox({ ...options, ...small, path: join(folder.path, "inbox.db"), quiet }),
    async tamper(sql) {
      const db = new DatabaseSync(join(folder.path, "inbox.db"));
      db.exec(sql.replaceAll("{bytes}", "BLOB").replaceAll(/\{(\w+)\}/g, "$1"));
      db.close();
    },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

/** The second one is left out of `npm test`. */
const forms: readonly (readonly [string, QuietTimes | undefined])[] = [
  ["SQLite inbox", undefined],
  ["SQLite inbox whose thread ends after each call", { firstMs: 1, laterMs: 1 }],
];
for (const [name, quiet] of forms.slice(0, casesOf(forms.length))) testInbox(name, () => createStore(quiet));
