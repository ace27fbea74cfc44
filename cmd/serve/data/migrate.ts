import type { Config } from "../../config/config.ts";
import { channelPlace } from "../../config/resolve.ts";
import { clickHouseOptions } from "../event/clickhouse.ts";
import { eventsDatabase, sharedDatabase } from "../shared/databases.ts";
import { asUserError } from "./user-errors.ts";

interface Migrated {
  readonly from: number;
  readonly to: number;
}

/** The versions of a schema before and after an upgrade. */
export interface Migration extends Migrated {
  readonly what: string;
}

/** Upgrades the schema of the inbox. Returns null when the inbox is a file. @throws UserError */
export async function migrateInbox({ webhook: { inbox } }: Config): Promise<Migration | null> {
  if (inbox.driver === "sqlite") return null;
  const { url = "", schema } = inbox;
  const { migrate } = await import("../../../store/inbox/postgres/open.ts");
  return { what: `schema "${schema}"`, ...(await asUserError(() => migrate({ url }, schema))) };
}

/** Upgrades the schema of channels. Returns null when they are in a file. @throws UserError */
export async function migrateChannels(config: Config): Promise<Migration | null> {
  const place = channelPlace(config);
  if (place.driver === "sqlite") return null;
  const { migrate } = await import("../../../store/channels/postgres/open.ts");
  const { url, schema } = place;
  return { what: `channels in schema "${schema}"`, ...(await asUserError(() => migrate({ url }, schema))) };
}

/** Stores of replicas, whose tables share a schema. */
const sharedStores: readonly {
  readonly what: string;
  readonly load: () => Promise<{ migrate(connection: { url: string }, schema: string): Promise<Migrated> }>;
}[] = [
  { what: "leases", load: () => import("../../../store/leases/postgres/open.ts") },
  { what: "records", load: () => import("../../../store/records/postgres/open.ts") },
  { what: "dead letters", load: () => import("../../../store/deadletters/postgres/open.ts") },
  { what: "intakes", load: () => import("../../../store/intake/postgres/open.ts") },
  { what: "tokens", load: () => import("../../../store/tokens/postgres/open.ts") },
  { what: "saved queries", load: () => import("../../../store/savedqueries/postgres/open.ts") },
];

/** Upgrades the ledger of events, and the databases of all shards. @throws UserError */
export async function* migrateEvents(config: Config): AsyncGenerator<Migration> {
  const database = eventsDatabase(config);
  if (database === undefined) return;
  const { migrateClickHouseStore } = await import("../../../store/events/clickhouse/clickhouse.ts");
  const options = clickHouseOptions(config, database);
  const [ledger, ...shards] = await asUserError(() => migrateClickHouseStore(options));
  yield { what: `event ledger in schema "${database.schema}"`, ...ledger! };
  for (const [at, migrated] of shards.entries()) {
    yield { what: `events in database "${options.database}" of shard ${at + 1}`, ...migrated };
  }
}

/** Upgrades the tables of what replicas share, one after the other. @throws UserError */
export async function* migrateShared(config: Config): AsyncGenerator<Migration> {
  const database = sharedDatabase(config) ?? eventsDatabase(config);
  if (database === undefined) return;
  const { url, schema } = database;
  for (const { what, load } of sharedStores) {
    const { migrate } = await load();
    yield { what: `${what} in schema "${schema}"`, ...(await asUserError(() => migrate({ url }, schema))) };
  }
}
