import { chmodSync } from "node:fs";
import { migrate } from "../../../store/inbox/postgres/open.ts";
import { openTempFolder } from "../../store/inbox/temp-folder.ts";
import { openPostgresServer, type PostgresServer } from "../inbox/postgres-server.ts";

/** Where a service keeps its messages. */
export interface Store extends AsyncDisposable {
  /** The data folder. */
  readonly folder: string;
  /** The setting `webhook.inbox`. */
  readonly inbox: object;
}

export interface PostgresStore extends Store {
  readonly server: PostgresServer;
}

export async function openSqliteStore(): Promise<Store> {
  const folder = await openTempFolder();
  return { folder: folder.path, inbox: {}, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}

export async function openPostgresStore(): Promise<PostgresStore> {
  const folder = await openTempFolder();
  chmodSync(folder.path, 0o755);
  const server = await openPostgresServer();
  await migrate(server, "engage_inbox");
  return {
    folder: folder.path,
    server,
    inbox: { driver: "postgres", url: server.url },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

export const stores: readonly (readonly [name: string, open: () => Promise<Store>])[] = [
  ["SQLite", openSqliteStore],
  ["PostgreSQL", openPostgresStore],
];
