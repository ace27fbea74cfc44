import { join } from "node:path";
import { openSqliteChannels } from "../../../../store/channels/sqlite/open.ts";
import { testChannelStore } from "../../../conformance/channels.ts";
import { openTempFolder } from "../../inbox/temp-folder.ts";

testChannelStore("SQLite channels", async () => {
  const folder = await openTempFolder();
  return {
    open: (options) => openSqliteChannels({ ...options, path: join(folder.path, "channels.db") }),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
});
