import { Code, ConnectError, createClient, createRouterTransport } from "@connectrpc/connect";
import { describe, expect, it } from "vitest";
import { HealthState, Settings, SourceKind } from "../../../../gen/engage/operations/v1/settings_pb.ts";
import { createSettings, type SettingsOptions } from "../../../../services/operations/settings/settings.ts";

const options: SettingsOptions = {
  configuration: async () => ({
    file: "engage.yaml",
    fileNamedBy: "command_line",
    isDemo: false,
    values: ["log.level", "logs", "log", "log[0]", "parser.formats[1].name"].map((path) => ({
      path,
      value: path,
      isHidden: false,
      isShortened: false,
      source: { kind: "default" },
      secretFile: undefined,
    })),
  }),
  keys: ["b", "c", "a"].map((name) => ({ name, methods: ["*"], isReadOnly: name === "a" })),
  certificates: [{ subject: "CN=x", methods: ["proto.Parser/*"] }],
  isKeyRequired: true,
  tokens: () => [
    { name: "b", projects: "*", created: undefined },
    {
      name: "a",
      projects: [1, 2],
      rateLimit: { perSecond: 0.5, burst: 3 },
      created: "2026-01-02T03:04:05.000Z",
    },
    { name: "b", projects: [1], created: "2026-01-02T03:04:05.000Z" },
  ],
  health: async () => [
    { name: "inbox", state: "ok", reason: "" },
    { name: "events", state: "degraded", reason: "late" },
  ],
  eventLag: async () => undefined,
  version: { version: "1.2.3", nodeVersion: "v24.0.0", startedMs: 1_000 },
};

function clientOf(changes: Partial<SettingsOptions> = {}) {
  const service = createSettings({ ...options, ...changes });
  return createClient(
    Settings,
    createRouterTransport((router) => router.service(Settings, service)),
  );
}

describe("GetConfiguration", () => {
  it.each([
    ["", ["log.level", "logs", "log", "log[0]", "parser.formats[1].name"]],
    ["log", ["log.level", "log", "log[0]"]],
    ["parser.formats[1]", ["parser.formats[1].name"]],
    ["parser.formats[1].nam", []],
  ])("of %j returns %j", async (path, paths) => {
    const { settings, fileNamedBy } = await clientOf().getConfiguration({ path });
    expect(settings.map((one) => one.path)).toEqual(paths);
    expect(fileNamedBy).toBe(SourceKind.COMMAND_LINE);
  });
});

describe("lists", () => {
  it("have the keys by name, page by page", async () => {
    const client = clientOf();
    const first = await client.listKeys({ pageSize: 2 });
    expect(first).toMatchObject({ required: true, certificates: [{ subject: "CN=x" }] });
    expect(first.keys).toMatchObject([
      { name: "a", methods: ["*"], readOnly: true },
      { name: "b", readOnly: false },
    ]);
    const second = await client.listKeys({ pageSize: 2, pageToken: first.nextPageToken });
    expect(second.keys.map(({ name }) => name)).toEqual(["c"]);
    expect(second.nextPageToken).toBe("");
  });

  it("have the tokens by name, also two of one name", async () => {
    const client = clientOf();
    const seen = [];
    let pageToken = "";
    do {
      const page = await client.listTokens({ pageSize: 1, pageToken });
      seen.push(...page.tokens);
      pageToken = page.nextPageToken;
    } while (pageToken !== "");
    expect(seen).toMatchObject([
      {
        name: "a",
        projectIds: [1n, 2n],
        allProjects: false,
        perSecond: 0.5,
        burst: 3,
        isConfigured: false,
        createdTime: { seconds: 1_767_323_045n },
      },
      { name: "b", allProjects: true, isConfigured: true },
      { name: "b", projectIds: [1n], isConfigured: false },
    ]);
  });

  it.each<["listKeys" | "listTokens", object, string]>([
    ["listKeys", { pageSize: 1_001 }, "page_size is 1001, valid are 1 to 1000, or 0 for 100"],
    ["listTokens", { pageToken: "x" }, "page_token is not one of this list"],
  ])("%s refuses %j", async (method, request, message) => {
    const error = ConnectError.from(
      await clientOf()
        [method](request)
        .catch((reason: unknown) => reason),
    );
    expect(error.code).toBe(Code.InvalidArgument);
    expect(error.rawMessage).toContain(message);
  });

  it("are unavailable while the tokens cannot be read", async () => {
    const client = clientOf({ tokens: () => undefined });
    await expect(client.listTokens({})).rejects.toMatchObject({ code: Code.Unavailable });
  });
});

describe("GetHealth", () => {
  it.each([
    ["degraded", true, HealthState.DEGRADED],
    ["failed", false, HealthState.FAILED],
  ] as const)("with a part that is %s", async (state, ready, value) => {
    const health = async () => [{ name: "events", state, reason: "late" }];
    expect(await clientOf({ health }).getHealth({})).toMatchObject({
      ready,
      parts: [{ name: "events", state: value, reason: "late" }],
    });
  });
});

describe("GetHealth with records that wait", () => {
  it.each([
    [undefined, undefined],
    [
      { waitingBytes: 0, records: 0, lagMs: 0 },
      { approximateRecords: 0n, waitingBytes: 0n, lag: { seconds: 0n, nanos: 0 } },
    ],
    [
      { waitingBytes: 700, records: undefined, lagMs: 1_500.7 },
      { approximateRecords: undefined, waitingBytes: 700n, lag: { seconds: 1n, nanos: 501_000_000 } },
    ],
  ])("of %j", async (lag, shown) => {
    const { eventLag } = await clientOf({ eventLag: async () => lag }).getHealth({});
    expect(eventLag && { ...eventLag, approximateRecords: eventLag.approximateRecords }).toEqual(
      shown && expect.objectContaining({ ...shown, lag: expect.objectContaining(shown.lag) }),
    );
  });
});

it("GetVersion", async () => {
  expect(await clientOf().getVersion({})).toMatchObject({
    version: "1.2.3",
    nodeVersion: "v24.0.0",
    startedTime: { seconds: 1n, nanos: 0 },
  });
});
