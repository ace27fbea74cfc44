import { Code, ConnectError } from "@connectrpc/connect";
import { afterAll, beforeAll, expect, test } from "vitest";
import { PropertyTable } from "../../../../gen/engage/analysis/v1/catalog_pb.ts";
import { type CatalogServer, openCatalogServer } from "./catalog-server.ts";

let server: CatalogServer;
beforeAll(async () => {
  server = await openCatalogServer();
});
afterAll(() => server[Symbol.asyncDispose]());

const project = { projectId: 1n };

type Call = (client: ReturnType<CatalogServer["client"]>) => Promise<unknown>;

const users = { table: PropertyTable.USER };
const eventProperties =
  'valid are "price", "#city", "at", "gift", "tags", "address", "address.zip", "address.moved", "items", "items.name", "items.count"';

const refusals: [what: string, call: Call, code: Code, message: string][] = [
  ["no project", (client) => client.listEvents({}), Code.InvalidArgument, "project_id is required"],
  [
    "an unknown project",
    (client) => client.listEvents({ projectId: 9n }),
    Code.InvalidArgument,
    "project_id is 9, valid are 2, 1",
  ],
  [
    "a project of a platform",
    (client) => client.listEvents({ projectId: 2n }),
    Code.FailedPrecondition,
    "project 2 is served by a platform, which has its own catalogue",
  ],
  [
    "an unknown order",
    (client) => client.listEvents({ ...project, order: 9 as never }),
    Code.InvalidArgument,
    "order is 9, valid are 1 for names, 2 for counts, or 0 for names",
  ],
  [
    "a page that is too large",
    (client) => client.listEvents({ ...project, pageSize: 1_001 }),
    Code.InvalidArgument,
    "page_size is 1001, valid are 1 to 1000, or 0 for 100",
  ],
  [
    "a page with properties that is too large",
    (client) => client.listEvents({ ...project, pageSize: 101, withProperties: true }),
    Code.InvalidArgument,
    "page_size is 101, valid are 1 to 100, or 0 for 100",
  ],
  [
    "a token of another list",
    (client) => client.listEvents({ ...project, pageToken: "x" }),
    Code.InvalidArgument,
    "page_token is not one of this list with this filter, begin again without it",
  ],
  ["no event", (client) => client.getEvent(project), Code.InvalidArgument, "event is required"],
  [
    "an unknown event",
    (client) => client.getEvent({ ...project, event: "Logon" }),
    Code.NotFound,
    'event "Logon" is unknown, the nearest is "Login", valid are "Login", "buy"',
  ],
  [
    "properties of an unknown event",
    (client) => client.listProperties({ ...project, event: "zzzzzzz" }),
    Code.NotFound,
    'event "zzzzzzz" is unknown, valid are "Login", "buy"',
  ],
  [
    "an unknown table",
    (client) => client.listProperties({ ...project, table: 9 as never }),
    Code.InvalidArgument,
    "table is 9, valid are 1 for events, 2 for users, or 0 for events",
  ],
  [
    "an unknown kind",
    (client) => client.listProperties({ ...project, kind: 9 as never }),
    Code.InvalidArgument,
    "kind is 9, valid are 1 to 4, or 0 for all",
  ],
  [
    "users by an event",
    (client) => client.listProperties({ ...project, ...users, event: "buy" }),
    Code.InvalidArgument,
    "event is only valid with the table of events",
  ],
  [
    "no property",
    (client) => client.listPropertyValues(project),
    Code.InvalidArgument,
    "property is required",
  ],
  [
    "an unknown property",
    (client) => client.listPropertyValues({ ...project, property: "pricee" }),
    Code.NotFound,
    `property "pricee" is unknown, the nearest is "price", ${eventProperties}`,
  ],
  [
    "an unknown virtual property",
    (client) => client.listPropertyValues({ ...project, property: "#vp@x" }),
    Code.NotFound,
    `property "#vp@x" is unknown, ${eventProperties}`,
  ],
  [
    "values of an unknown event",
    (client) => client.listPropertyValues({ ...project, property: "price", event: "x" }),
    Code.NotFound,
    'event "x" is unknown, valid are "buy", "Login"',
  ],
  [
    "a day that does not exist",
    (client) => client.listPropertyValues({ ...project, property: "price", fromDay: "2026-02-30" }),
    Code.InvalidArgument,
    'from_day "2026-02-30" is not a day, valid is yyyy-MM-dd',
  ],
  [
    "days of users",
    (client) => client.listPropertyValues({ ...project, ...users, property: "level", toDay: "2026-02-01" }),
    Code.InvalidArgument,
    "to_day is only valid with the table of events",
  ],
  [
    "days in the wrong order",
    (client) =>
      client.listPropertyValues({
        ...project,
        property: "price",
        fromDay: "2026-02-02",
        toDay: "2026-02-01",
      }),
    Code.InvalidArgument,
    'to_day "2026-02-01" is before from_day, so nothing can match',
  ],
  [
    "a beginning of numbers",
    (client) => client.listPropertyValues({ ...project, property: "price", prefix: "1" }),
    Code.InvalidArgument,
    'prefix: "1" is only valid for texts, and this is a number',
  ],
];

test.each(refusals)("%s is refused", async (_what, call, code, message) => {
  const error = await call(server.client("grpc")).then(
    () => expect.unreachable("the call is refused"),
    (reason: unknown) => ConnectError.from(reason),
  );
  expect([error.code, error.rawMessage]).toEqual([code, message]);
});
