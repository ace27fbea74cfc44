import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { ChannelSchema, InputMethod } from "../../../../gen/engage/channel/v1/channel_pb.ts";
import { checkChannel, completeChannel, maskChannel } from "../../../../services/channel/channels/channel.ts";
import { type ChannelInit, channelOf, projects } from "./sample-channel.ts";

type Changes = ChannelInit;
type Field = NonNullable<ChannelInit["contentTemplate"]>[number];

function faultsOf(changes: Changes): string[] {
  const channel = completeChannel(channelOf(changes), undefined);
  return checkChannel(channel, projects).map(({ field, description }) => `${field} ${description}`);
}

const field = { name: "x", inputMethod: InputMethod.TEXT };
const headers = (count: number) => Array.from({ length: count }, (_, i) => ({ name: `h${i}`, value: "v" }));

describe("a valid channel", () => {
  it.each<[string, Changes]>([
    ["with everything", {}],
    ["with nothing optional", { customHeaders: [], contentTemplate: [], customParameters: [] }],
    ["with a name of 100 characters beyond the first plane", { name: "😀".repeat(100) }],
    ["at an address", { url: "http://[::1]:8080/" }],
    ["with 10 headers", { customHeaders: headers(10) }],
    [
      "with the least settings",
      { delivery: { rateLimit: 1, batchSize: 1, retries: 0, retryIntervalSeconds: 0 } },
    ],
    ["with the most settings", { delivery: { rateLimit: 10_000, timeoutSeconds: 3_600 } }],
    ["without limit", { delivery: { rateLimit: -1 } }],
    ["with a window of 720 hours", { funnel: { conversionWindowHours: 720 } }],
    ["with members of objects", { pushIdProperty: "device.token", customParameters: [] }],
    ["with a key that begins with an underscore", { contentTemplate: [{ ...field, name: "_a1" }] }],
    ["with keys that differ in case", { contentTemplate: [field, { ...field, name: "X" }] }],
    [
      "with braces in a dynamic text",
      { contentTemplate: [{ ...field, inputMethod: 2, defaultValue: "{{a}}" }] },
    ],
  ])("%s is taken", (_what, changes) => {
    expect(faultsOf(changes)).toEqual([]);
  });
});

describe("a channel", () => {
  it.each<[string, Changes]>([
    ["name is required", { name: "  " }],
    ["name has 101 characters, at most 100 are valid", { name: "a".repeat(101) }],
    ['name is " a", spaces at its ends are not valid', { name: " a" }],
    ["name contains a control character, which is not valid", { name: "a\nb" }],
    ["project_id is required, valid are 1", { projectId: 0n }],
    ["project_id is 7, valid are 1", { projectId: 7n }],
    ["url is required", { url: "" }],
    ['url is "example.com", valid is a URL such as', { url: "example.com" }],
    ['url is "https://a.example/x y", valid is a URL such as', { url: "https://a.example/x y" }],
    ['url has the scheme "ftp:", valid are http: and https:', { url: "ftp://a.example/" }],
    ["url has a user name or password", { url: "https://me:pass@a.example/" }],
    ['url has the fragment "#x"', { url: "https://a.example/#x" }],
    ["url has 2049 characters, at most 2048 are valid", { url: `https://a.example/${"x".repeat(2_031)}` }],
    ["push_id_property is required", { pushIdProperty: "" }],
    ['push_id_property is "1a", valid is the name of a user property', { pushIdProperty: "1a" }],
    ["custom_headers has 11 entries, at most 10 are valid", { customHeaders: headers(11) }],
    ["custom_headers[0].name is required", { customHeaders: [{ name: "", value: "v" }] }],
    ['custom_headers[0].name is "a b", valid are letters', { customHeaders: [{ name: "a b", value: "v" }] }],
    [
      'custom_headers[1].name is "X-A", which repeats custom_headers[0] (case is ignored)',
      {
        customHeaders: [
          { name: "x-a", value: "v" },
          { name: "X-A", value: "v" },
        ],
      },
    ],
    [
      'custom_headers[0].name is "x-svc-ops-signature", which is the header of the signature',
      { customHeaders: [{ name: "x-svc-ops-signature", value: "v" }] },
    ],
    ...["Content-Type", "content-length", "HOST", "Connection", "Transfer-Encoding", "te", "expect"].map(
      (name): [string, Changes] => [
        `custom_headers[0].name is "${name}", which is set by the service`,
        { customHeaders: [{ name, value: "v" }] },
      ],
    ),
    ["custom_headers[0].value is required", { customHeaders: [{ name: "a", value: "" }] }],
    ["custom_headers[0].value is required", { customHeaders: [{ name: "a", valueIsSet: true }] }],
    ["custom_headers[0].value is not valid", { customHeaders: [{ name: "a", value: "b\r\nc: d" }] }],
    ["custom_headers[0].value is not valid", { customHeaders: [{ name: "a", value: " b" }] }],
    ["authentication.secret is required", { authentication: {} }],
    ["authentication.secret is required", { authentication: { secretIsSet: true } }],
    ["authentication.secret has spaces or line ends at its ends", { authentication: { secret: "a\n" } }],
    ["authentication.secret has 257 characters", { authentication: { secret: "a".repeat(257) } }],
    ['authentication.header_name is "Host"', { authentication: { secret: "s", headerName: "Host" } }],
    ['funnel.step_events[0] is "1"', { funnel: { stepEvents: ["1"] } }],
    ['funnel.step_events[1] is "a", which is a repeat', { funnel: { stepEvents: ["a", "a"] } }],
    ['funnel.click_event is "a b"', { funnel: { clickEvent: "a b" } }],
    ["funnel.conversion_events[0] is empty", { funnel: { conversionEvents: [""] } }],
    ["funnel.conversion_window_hours is 0, valid are 1 to 720", { funnel: { conversionWindowHours: 0 } }],
    ["funnel.conversion_window_hours is 721, valid are 1 to 720", { funnel: { conversionWindowHours: 721 } }],
    ["custom_parameters[0].name is required", { customParameters: [{ property: "level" }] }],
    ["custom_parameters[0].property is required", { customParameters: [{ name: "level" }] }],
    [
      'custom_parameters[1].name is "a", which is a repeat',
      {
        customParameters: [
          { name: "a", property: "b" },
          { name: "a", property: "c" },
        ],
      },
    ],
    ...(
      [
        ["rate_limit is 0, valid are -1 for no limit, or 1 to 10000", { rateLimit: 0 }],
        ["rate_limit is -2, valid are -1 for no limit, or 1 to 10000", { rateLimit: -2 }],
        ["rate_limit is 10001, valid are -1 for no limit, or 1 to 10000", { rateLimit: 10_001 }],
        ["batch_size is 0, valid are 1 to 500", { batchSize: 0 }],
        ["batch_size is 501, valid are 1 to 500", { batchSize: 501 }],
        ["timeout_seconds is -1, valid are 0 for none, or up to 3600", { timeoutSeconds: -1 }],
        ["timeout_seconds is 3601, valid are 0 for none, or up to 3600", { timeoutSeconds: 3_601 }],
        ["retries is -1, valid are 0 to 10", { retries: -1 }],
        ["retries is 11, valid are 0 to 10", { retries: 11 }],
        ["retry_interval_seconds is -1, valid are 0 to 600", { retryIntervalSeconds: -1 }],
        ["retry_interval_seconds is 601, valid are 0 to 600", { retryIntervalSeconds: 601 }],
      ] as const
    ).map(([message, delivery]): [string, Changes] => [`delivery.${message}`, { delivery }]),
  ])("is refused: %s", (message, changes) => {
    const faults = faultsOf(changes);
    expect(faults).toHaveLength(1);
    expect(faults[0]).toContain(message);
  });

  it("is refused with all faults at once", () => {
    expect(faultsOf({ name: "", url: "", pushIdProperty: "", delivery: { batchSize: 0 } })).toHaveLength(4);
  });

  it("has its secrets quoted in no message", () => {
    const secret = "s3cret ";
    const faults = faultsOf({ authentication: { secret }, customHeaders: [{ name: "a", value: secret }] });
    expect(faults).toHaveLength(2);
    expect(faults.join("\n")).not.toContain("s3cret");
  });
});

describe("a content field", () => {
  it.each<[string, Field]>([
    ["name is required", { inputMethod: 1 }],
    ['name is "1a", valid are letters, digits and underscores, not a digit first', { ...field, name: "1a" }],
    ['name is "a-b", valid are', { ...field, name: "a-b" }],
    ["name has 101 characters, at most 100 are valid", { ...field, name: "a".repeat(101) }],
    ['name is "__proto__", which is reserved', { ...field, name: "__proto__" }],
    [
      "input_method is required, valid are INPUT_METHOD_TEXT, INPUT_METHOD_DYNAMIC_TEXT, INPUT_METHOD_NUMBER, ",
      { name: "x" },
    ],
    ["input_method is 8, valid are", { name: "x", inputMethod: 8 as InputMethod }],
    ["options has 1 entries, valid only for a dropdown", { ...field, options: ["a"] }],
    ["columns has 1 entries, valid only for array rows", { ...field, columns: ["a"] }],
    ["options is empty, a dropdown needs at least one", { ...field, inputMethod: 4 }],
    ['options[1] is "a", which is a repeat', { ...field, inputMethod: 4, options: ["a", "a"] }],
    ["options[0] is empty", { ...field, inputMethod: 4, options: [""] }],
    ["columns is empty, array rows need at least one", { ...field, inputMethod: 7 }],
    ['columns[0] is "1", valid are', { ...field, inputMethod: 7, columns: ["1"] }],
    ['columns[1] is "a", which is a repeat', { ...field, inputMethod: 7, columns: ["a", "a"] }],
    [
      "default_value is set, array rows use default_rows instead",
      { ...field, inputMethod: 7, columns: ["a"], defaultValue: "x" },
    ],
    [
      'default_rows.rows[1].cells["b"] is not a column, valid are "a"',
      { ...field, inputMethod: 7, columns: ["a"], defaultRows: { rows: [{}, { cells: { b: "x" } }] } },
    ],
    [
      'default_rows.rows[0].cells["a"] has 2001 characters, at most 2000 are valid',
      {
        ...field,
        inputMethod: 7,
        columns: ["a"],
        defaultRows: { rows: [{ cells: { a: "x".repeat(2_001) } }] },
      },
    ],
    [
      "default_rows.rows has 501 rows, at most 500 are valid",
      {
        ...field,
        inputMethod: 7,
        columns: ["a"],
        defaultRows: { rows: Array.from({ length: 501 }, () => ({})) },
      },
    ],
    ["default_rows.rows has 1 entries, valid only for array rows", { ...field, defaultRows: { rows: [{}] } }],
    [
      'default_value has a "{" without a "}" at character 3',
      { ...field, inputMethod: 2, defaultValue: "a {b" },
    ],
    [
      'default_value has a "}" without a "{" at character 2',
      { ...field, inputMethod: 2, defaultValue: "a}" },
    ],
    ['default_value refers to "" at character 1', { ...field, inputMethod: 2, defaultValue: "{}" }],
    ['default_value is "1,5", valid are numbers', { ...field, inputMethod: 3, defaultValue: "1,5" }],
    [
      'default_value is "c", valid are "a", "b"',
      { ...field, inputMethod: 4, options: ["a", "b"], defaultValue: "c" },
    ],
    [
      'default_value is "2023-02-29", valid are days',
      { ...field, inputMethod: 5, defaultValue: "2023-02-29" },
    ],
    ['default_value is "2024-2-9", valid are days', { ...field, inputMethod: 5, defaultValue: "2024-2-9" }],
    [
      'default_value is "2024-02-29 24:00:00"',
      { ...field, inputMethod: 6, defaultValue: "2024-02-29 24:00:00" },
    ],
    [
      'default_value is "2024-02-29", valid are times',
      { ...field, inputMethod: 6, defaultValue: "2024-02-29" },
    ],
    ["display_name has 101 characters", { ...field, displayName: "a".repeat(101) }],
    ["description has 501 characters", { ...field, description: "a".repeat(501) }],
  ])("is refused: %s", (message, wrong) => {
    const faults = faultsOf({ contentTemplate: [wrong] });
    expect(faults).toHaveLength(1);
    expect(faults[0]).toContain(`content_template[0].${message}`);
  });

  it("has a name of its own", () => {
    expect(faultsOf({ contentTemplate: [field, field] })).toEqual([
      'content_template[1].name is "x", which is a repeat',
    ]);
  });
});

describe("completing a channel", () => {
  it("fills in every default", () => {
    const bare = create(ChannelSchema, {
      name: "a",
      authentication: { secret: "s" },
      funnel: {},
      contentTemplate: [field],
    });
    expect(completeChannel(bare, undefined)).toMatchObject({
      authentication: { headerName: "X-SVC-OPS-Signature" },
      funnel: { clickEvent: "ops_push_click", conversionWindowHours: 24 },
      contentTemplate: [{ displayName: "x", required: false }],
      delivery: {
        rateLimit: -1,
        batchSize: 100,
        timeoutSeconds: 60,
        retries: 0,
        retryIntervalSeconds: 5,
        strictValidation: true,
      },
    });
  });

  it("keeps what is set to the default's opposite", () => {
    const { delivery } = completeChannel(
      channelOf({ delivery: { strictValidation: false, timeoutSeconds: 0 } }),
      undefined,
    );
    expect(delivery).toMatchObject({ strictValidation: false, timeoutSeconds: 0, batchSize: 100 });
  });

  it("keeps the stored secrets that it says are set, and no others", () => {
    const stored = channelOf();
    const shown = maskChannel(stored);
    expect(
      JSON.stringify(shown, (_key, value) => (typeof value === "bigint" ? `${value}` : value)),
    ).not.toMatch(/a secret|Bearer/);
    expect(shown.customHeaders.map(({ name, valueIsSet }) => [name, valueIsSet])).toEqual([
      ["Authorization", true],
      ["X-Game", true],
    ]);
    const kept = completeChannel(shown, stored);
    expect(kept.authentication?.secret).toBe("a secret");
    expect(kept.customHeaders.map(({ value }) => value)).toEqual(["Bearer abc", "one"]);
    const changed = completeChannel(
      channelOf({
        authentication: { secret: "new", secretIsSet: true },
        customHeaders: [
          { name: "authorization", valueIsSet: true },
          { name: "X-Game", value: "two" },
          { name: "X-New", valueIsSet: true },
        ],
      }),
      stored,
    );
    expect(changed.authentication?.secret).toBe("new");
    expect(changed.customHeaders.map(({ value }) => value)).toEqual(["Bearer abc", "two", ""]);
  });

  it("leaves out what only the service sets", () => {
    const given = channelOf({ channelId: "c9", etag: "v3" });
    expect(completeChannel(given, undefined)).toMatchObject({ channelId: "", etag: "" });
  });
});
