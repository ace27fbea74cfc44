import { expect, test } from "vitest";
import { channelPlace } from "../../../../cmd/config/resolve.ts";
import { linesOf, loadText, problemsOf } from "../load.ts";

test.each<[string, string]>([
  ["channel: { store: { url: 'postgresql://a/b' } }", "1:26: channel.store.url: is for driver postgres"],
  ["channel: { store: { driver: postgres } }", "channel.store.url: is required by driver postgres"],
  [
    "channel: { store: { driver: postgres, url: 'http://a/b' } }",
    'channel.store.url: must be a URL such as "postgresql://user:password@host:5432/database"',
  ],
  [
    "channel: { store: { driver: postgres, url: 'postgresql://a/b', file: x } }",
    "channel.store.file: is for driver sqlite",
  ],
  ["channel: { retentionMs: 1 }", "channel.retentionMs: must be"],
  ["channel: { concurrency: 1001 }", "channel.concurrency: must be"],
  ["channel: { outbound: { allow: [nowhere] } }", "channel.outbound.allow[0]: must be a network"],
])("%s is refused", (text, line) => {
  expect(linesOf(problemsOf(text))).toEqual([expect.stringContaining(line)]);
});

const inbox =
  "webhook: { inbox: { driver: postgres, url: 'postgresql://a/b', schema: own, maxConnections: 5 } }";

test.each<[string, string, object]>([
  [
    "nothing is said",
    "data: /data",
    { driver: "sqlite", file: "/data/channels/channels.db", minFreeBytes: 268_435_456 },
  ],
  [
    "a file is named",
    "channel: { store: { file: /x/y.db, minFreeBytes: 7 } }",
    { driver: "sqlite", file: "/x/y.db", minFreeBytes: 7 },
  ],
  [
    "the inbox is in a database",
    inbox,
    { driver: "postgres", url: "postgresql://a/b", schema: "own", maxConnections: 5 },
  ],
  [
    "only the schema differs",
    `${inbox}\nchannel: { store: { schema: other } }`,
    { driver: "postgres", url: "postgresql://a/b", schema: "other", maxConnections: 5 },
  ],
  [
    "it is in a file beside an inbox in a database",
    `${inbox.replace("{ driver", "{ minFreeBytes: 9, driver")}\ndata: /data\nchannel: { store: { driver: sqlite } }`,
    { driver: "sqlite", file: "/data/channels/channels.db", minFreeBytes: 9 },
  ],
])("channels have their place when %s", (_what, text, place) => {
  expect(channelPlace(loadText(text).config)).toEqual(place);
});
