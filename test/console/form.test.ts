import { create, type DescField } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { type Draft, draftOf, formFieldsOf, messageOf } from "../../console/src/form/draft.ts";
import { checkDraft, faultsIn, faultsOf } from "../../console/src/form/faults.ts";
import { describeLimits, findFault, limitsOf } from "../../console/src/form/limits.ts";
import { labelKeyOf, valueKeyOf } from "../../console/src/form/text-keys.ts";
import { en } from "../../console/src/texts/en/en.ts";
import {
  ChannelAuthenticationSchema,
  ChannelSchema,
  ContentFieldSchema,
  CustomHeaderSchema,
  CustomParameterSchema,
  DeliverySettingsSchema,
  FunnelSettingSchema,
  InputMethod,
  InputMethodSchema,
} from "../../gen/engage/channel/v1/channel_pb.ts";
import {
  PreviewMessageRequestSchema,
  TestChannelRequestSchema,
} from "../../gen/engage/channel/v1/channel_sender_pb.ts";
import {
  ArrayRowsSchema,
  CohortSchema,
  ContentSchema,
  ExperimentGroupSchema,
  JourneySchema,
  PushIdListSchema,
  ScheduleSchema,
  TaskSchema,
} from "../../gen/engage/channel/v1/task_pb.ts";
import { BadRequestSchema } from "../../gen/google/rpc/error_details_pb.ts";

const delivery = DeliverySettingsSchema.field;
const keysOf = (field: DescField) => describeLimits(field).map(({ key }) => key);

describe("the limits of a field are those of the contract", () => {
  test.each([
    [ChannelSchema.field.name, ["form.required", "form.maxLength"]],
    [ChannelSchema.field.url, ["form.required", "form.format.url", "form.maxLength"]],
    [delivery.rateLimit, ["form.rangeAlso", "form.default"]],
    [delivery.strictValidation, []],
    [FunnelSettingSchema.field.stepEvents, ["form.lines", "form.format.eventName", "form.maxItems"]],
    [ExperimentGroupSchema.field.share, ["form.required", "form.rangeAbove"]],
    [ChannelSchema.field.channelId, []],
  ])("%s", (field, keys) => expect(keysOf(field)).toEqual(keys));

  test("with its numbers", () => {
    expect(describeLimits(delivery.rateLimit)[0]?.values).toEqual({ min: "1", max: "10000", also: "-1" });
    expect(describeLimits(ChannelSchema.field.name)[1]?.values).toEqual({ max: "100" });
  });
});

describe("a fault is found before the call", () => {
  test.each([
    [ChannelSchema.field.name, "", "form.fault.required"],
    [ChannelSchema.field.name, "   ", "form.fault.required"],
    [ChannelSchema.field.name, "😀".repeat(100), undefined],
    [ChannelSchema.field.name, "😀".repeat(101), "form.fault.length"],
    [ChannelSchema.field.url, "ftp://a.example", "form.format.url"],
    [ChannelSchema.field.url, "https://a.example/push", undefined],
    [ChannelSchema.field.pushIdProperty, "#account_id", undefined],
    [ChannelSchema.field.pushIdProperty, "no spaces", "form.format.property"],
    [delivery.batchSize, "", undefined],
    [delivery.batchSize, " 500 ", undefined],
    [delivery.batchSize, "501", "form.range"],
    [delivery.batchSize, "0", "form.range"],
    [delivery.batchSize, "1.5", "form.fault.whole"],
    [delivery.batchSize, "1e2", "form.fault.whole"],
    [delivery.rateLimit, "-1", undefined],
    [delivery.rateLimit, "0", "form.rangeAlso"],
    [ExperimentGroupSchema.field.share, "33.3", undefined],
    [ExperimentGroupSchema.field.share, "0", "form.rangeAbove"],
    [ExperimentGroupSchema.field.share, "half", "form.fault.decimal"],
    [FunnelSettingSchema.field.stepEvents, "push_shown\n\n push_read ", undefined],
    [FunnelSettingSchema.field.stepEvents, "push_shown\n1st", "form.format.eventName"],
    [FunnelSettingSchema.field.stepEvents, Array(21).fill("a").join("\n"), "form.fault.items"],
    [ScheduleSchema.field.at, "2026-01-31 18:30:00", undefined],
    [ScheduleSchema.field.at, "2026-01-31 24:00:00", "form.format.time"],
  ])("%s %j", (field, text, key) => expect(findFault(field, text)?.key).toBe(key));
});

const channel = create(ChannelSchema, {
  name: "mail",
  projectId: 9_007_199_254_740_993n,
  url: "https://a.example",
  authentication: { secretIsSet: true, headerName: "X-Sign" },
  funnel: { stepEvents: ["shown", "read"], conversionWindowHours: 48 },
  contentTemplate: [
    { name: "title", inputMethod: InputMethod.TEXT, required: true },
    {
      name: "items",
      inputMethod: InputMethod.ARRAY_ROW,
      columns: ["id"],
      defaultRows: { rows: [{ cells: { id: "1" } }] },
    },
  ],
  delivery: { rateLimit: -1, strictValidation: false },
  etag: "v3",
});

describe("a draft", () => {
  test("holds what is entered as texts, and gives the same message", () => {
    const draft = draftOf(ChannelSchema, channel);
    expect(draft).toMatchObject({
      projectId: "9007199254740993",
      funnel: { stepEvents: "shown\nread", conversionWindowHours: "48" },
      delivery: { rateLimit: "-1", strictValidation: false },
    });
    expect((draft["delivery"] as Draft)["batchSize"]).toBeUndefined();
    expect(messageOf(ChannelSchema, draft)).toEqual(channel);
  });

  test("leaves out what is no number", () => {
    const draft = { rateLimit: "many", batchSize: "", retries: "3" };
    expect(messageOf(DeliverySettingsSchema, draft)).toEqual(create(DeliverySettingsSchema, { retries: 3 }));
  });

  test("holds rows of texts", () => {
    const rows = create(ArrayRowsSchema, { rows: [{ cells: { id: "7" } }] });
    expect(messageOf(ArrayRowsSchema, draftOf(ArrayRowsSchema, rows))).toEqual(rows);
  });
});

describe("the faults of a form", () => {
  test("have the paths of the contract", () => {
    const draft = draftOf(
      ChannelSchema,
      create(ChannelSchema, {
        name: "mail",
        url: "nowhere",
        pushIdProperty: "mail",
        customHeaders: [
          { name: "X-A", valueIsSet: true },
          { name: "a b", value: "1" },
        ],
        authentication: { secretIsSet: true },
        delivery: { batchSize: 1_000 },
      }),
    );
    const isStored = (path: string) => path === "authentication.secret" || path === "custom_headers[0].value";
    expect([...checkDraft(ChannelSchema, draft, isStored).keys()].sort()).toEqual([
      "custom_headers[1].name",
      "delivery.batch_size",
      "url",
    ]);
    expect([...checkDraft(ChannelSchema, draft).keys()].sort()).toEqual([
      "authentication.secret",
      "custom_headers[0].value",
      "custom_headers[1].name",
      "delivery.batch_size",
      "url",
    ]);
  });

  test("are those that the server names, without the name of the message", () => {
    const fieldViolations = [
      { field: "channel.delivery.batch_size", description: "channel.delivery.batch_size is 501" },
      { field: "channel.custom_headers[0].name", description: "is required" },
      { field: "channel", description: "is required" },
      { field: "push_id", description: "is required" },
    ];
    const error = new ConnectError("wrong", Code.InvalidArgument, undefined, [
      { desc: BadRequestSchema, value: { fieldViolations } },
    ]);
    expect([...faultsIn(error, "channel")]).toEqual([
      ["delivery.batch_size", "is 501"],
      ["custom_headers[0].name", "is required"],
      ["", "is required"],
      ["push_id", "is required"],
    ]);
    expect([...faultsIn(new Error("lost"), "channel")]).toEqual([]);
  });

  test("of a part have their paths within it", () => {
    const faults = new Map([
      ["delivery.batch_size", "a"],
      ["delivery_x", "b"],
      ["rows[0].cells", "c"],
    ]);
    expect([...faultsOf(faults, "delivery")]).toEqual([["batch_size", "a"]]);
    expect([...faultsOf(faults, "rows[0]")]).toEqual([["cells", "c"]]);
  });
});

describe("every field that a form shows", () => {
  const shown = [
    CohortSchema,
    CustomHeaderSchema,
    ChannelAuthenticationSchema,
    FunnelSettingSchema,
    ContentFieldSchema,
    CustomParameterSchema,
    DeliverySettingsSchema,
    ExperimentGroupSchema,
    JourneySchema,
    ScheduleSchema,
  ].flatMap(formFieldsOf);
  /** Only responses have them, or a checkbox stands for them. */
  const hidden: ReadonlySet<string> = new Set(["value_is_set", "secret_is_set", "off", "contents"]);

  test("has a name", () => {
    const named = shown.filter(({ name }) => !hidden.has(name));
    expect(named.length).toBeGreaterThan(20);
    const others = [
      ChannelSchema.field.url,
      ChannelSchema.field.projectId,
      ChannelSchema.field.customHeaders,
      ChannelSchema.field.contentTemplate,
      ChannelSchema.field.customParameters,
      TaskSchema.field.name,
      TaskSchema.field.languageProperty,
      ContentSchema.field.language,
      PushIdListSchema.field.pushIds,
      TestChannelRequestSchema.field.pushId,
      PreviewMessageRequestSchema.field.pushId,
    ];
    expect([...named, ...others].map(labelKeyOf).filter((key) => !(key in en))).toEqual([]);
  });

  test("that is a choice has names for its values", () => {
    const choices = [InputMethodSchema];
    const keys = choices.flatMap((desc) =>
      desc.values.filter(({ number }) => number !== 0).map(({ localName }) => valueKeyOf(desc, localName)),
    );
    expect(keys.length).toBeGreaterThan(5);
    expect(keys.filter((key) => !(key in en))).toEqual([]);
  });

  test("that is a secret is never shown as text", () => {
    const secrets = shown.filter((field) => limitsOf(field).secret).map(({ name }) => name);
    expect(secrets.sort()).toEqual(["secret", "value"]);
  });
});
