import { expect, test } from "vitest";
import { channelPlace } from "../../../../cmd/config/resolve.ts";
import { linesOf, loadText, problemsOf } from "../load.ts";

const url = "postgresql://user:geheim@host/db";
const shared = `stores: { driver: shared, postgres: { url: '${url}' }, clickhouse: { shards: ['http://a:8123'] } }`;
const shards = (list: string) => shared.replace("['http://a:8123']", list);

test.each<[what: string, text: string, lines: readonly string[]]>([
  [
    "shared stores without servers",
    "stores: { driver: shared }",
    [
      "1:9: stores.postgres.url: is required by stores.driver shared",
      "1:9: stores.clickhouse.shards: must list the HTTP URL of at least one ClickHouse server, or set events.driver to duckdb",
    ],
  ],
  [
    "events in ClickHouse without PostgreSQL",
    "events: { driver: clickhouse }\nstores: { clickhouse: { shards: ['http://a:8123'] } }",
    [
      "2:9: stores.postgres.url: is required by events.driver clickhouse, which keeps its ledger of loaded batches there",
    ],
  ],
  [
    "servers that no store uses",
    `stores: { postgres: { url: '${url}' }, clickhouse: { shards: ['http://a:8123'] } }`,
    [
      "1:28: stores.postgres.url: is for stores.driver shared",
      "1:88: stores.clickhouse.shards: is for events.driver clickhouse",
    ],
  ],
  [
    "a database of another kind",
    shared.replace("postgresql:", "mysql:"),
    ['1:44: stores.postgres.url: must be a URL such as "postgresql://user:password@host:5432/database"'],
  ],
  [
    "a shard that is no URL",
    shards("['a:8123']"),
    ['stores.clickhouse.shards[0]: must be a URL such as "http://clickhouse-1:8123"'],
  ],
  [
    "a shard with a password",
    shards("['http://user:geheim@a:8123']"),
    [
      "stores.clickhouse.shards[0]: must have no user and no password: set stores.clickhouse.user and stores.clickhouse.password",
    ],
  ],
  [
    "a shard with a path",
    shards("['https://a:8443/db?x=1']"),
    [
      'stores.clickhouse.shards[0]: must be host and port only, without path and query, for example "https://a:8443"',
    ],
  ],
  [
    "free space of a disk that is not measured",
    `${shared}\nevents: { spool: { minFreeBytes: 0 } }`,
    [
      "events.spool.minFreeBytes: is for events.driver duckdb: the disk of PostgreSQL, which stores the records, is not measured",
    ],
  ],
  [
    "a shard that is listed twice",
    shards("['http://a:8123', 'http://b:8123', 'http://a:8123/']"),
    ['stores.clickhouse.shards[2]: "http://a:8123" is already shard 1'],
  ],
])("%s is refused", (_what, text, lines) => {
  const found = linesOf(problemsOf(text));
  expect(found).toEqual(lines.map((line) => expect.stringContaining(line)));
  expect(found.join("\n")).not.toContain("geheim");
});

test("one setting moves every store to the servers", () => {
  const { config } = loadText(shared);
  const place = { driver: "postgres", url, schema: "engage", maxConnections: 10 };
  expect(config.webhook.inbox).toMatchObject(place);
  expect(channelPlace(config)).toEqual(place);
  expect(config.events.driver).toBe("clickhouse");
});

test("variables set it", () => {
  const { config } = loadText("", {
    ENGAGE_STORES_DRIVER: "shared",
    ENGAGE_STORES_POSTGRES_URL: url,
    ENGAGE_STORES_CLICKHOUSE_SHARDS: "http://a:8123,http://b:8123",
    ENGAGE_STORES_CLICKHOUSE_PASSWORD: "word",
  });
  expect(config.webhook.inbox).toMatchObject({ driver: "postgres", url });
  expect(config.stores.clickhouse).toMatchObject({
    shards: ["http://a:8123", "http://b:8123"],
    password: "word",
  });
});

test("a store can be set apart", () => {
  const text = `${shared}\nwebhook: { inbox: { driver: sqlite } }\nevents: { driver: duckdb }`;
  const { config } = loadText(text.replace(", clickhouse: { shards: ['http://a:8123'] }", ""));
  expect(config.webhook.inbox.driver).toBe("sqlite");
  expect(config.events.driver).toBe("duckdb");
});

test("an inbox in a database of its own keeps its schema", () => {
  const { config } = loadText(
    `${shared}\nwebhook: { inbox: { driver: postgres, url: 'postgresql://other/db' } }`,
  );
  expect(config.webhook.inbox).toMatchObject({ url: "postgresql://other/db", schema: "engage_inbox" });
});

test("no secret is printed", () => {
  const text = loadText(shared.replace("shards:", "password: geheim, shards:")).print();
  expect(text).not.toContain("geheim");
  expect(text).not.toContain("geheim");
});
