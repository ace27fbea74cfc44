import { create, type DescField, type MessageInitShape } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { limitsOf, rangeOf } from "../../../../base/protobuf/limits.ts";
import {
  ChannelAuthenticationSchema,
  ChannelSchema,
  ContentFieldSchema,
  CustomHeaderSchema,
  CustomParameterSchema,
  DeliverySettingsSchema,
  FunnelSettingSchema,
  InputMethod,
} from "../../../../gen/engage/channel/v1/channel_pb.ts";
import { checkChannel } from "../../../../services/channel/channels/channel.ts";
import { projects } from "./sample-channel.ts";

type Changes = MessageInitShape<typeof ChannelSchema>;

/** Returns the paths of the violations of an otherwise valid channel. */
function faultsOf(changes: Changes): readonly string[] {
  const valid = { name: "mail", projectId: 1n, url: "https://a.example", pushIdProperty: "mail" };
  return checkChannel(create(ChannelSchema, { ...valid, ...changes }), projects).map(({ field }) => field);
}

const { field: channel } = ChannelSchema;
const { field: content } = ContentFieldSchema;
const text = InputMethod.TEXT;

const texts: readonly [DescField, (value: string) => Changes, string][] = [
  [channel.name, (name) => ({ name }), "name"],
  [
    CustomHeaderSchema.field.name,
    (name) => ({ customHeaders: [{ name, value: "1" }] }),
    "custom_headers[0].name",
  ],
  [
    CustomHeaderSchema.field.value,
    (value) => ({ customHeaders: [{ name: "X-A", value }] }),
    "custom_headers[0].value",
  ],
  [
    ChannelAuthenticationSchema.field.secret,
    (secret) => ({ authentication: { secret } }),
    "authentication.secret",
  ],
  [
    ChannelAuthenticationSchema.field.headerName,
    (headerName) => ({ authentication: { secret: "s", headerName } }),
    "authentication.header_name",
  ],
  [content.name, (name) => ({ contentTemplate: [{ name, inputMethod: text }] }), "content_template[0].name"],
  [
    content.displayName,
    (displayName) => ({ contentTemplate: [{ name: "a", inputMethod: text, displayName }] }),
    "content_template[0].display_name",
  ],
  [
    content.description,
    (description) => ({ contentTemplate: [{ name: "a", inputMethod: text, description }] }),
    "content_template[0].description",
  ],
  [
    content.defaultValue,
    (defaultValue) => ({ contentTemplate: [{ name: "a", inputMethod: text, defaultValue }] }),
    "content_template[0].default_value",
  ],
  [
    content.options,
    (option) => ({ contentTemplate: [{ name: "a", inputMethod: InputMethod.DROPDOWN, options: [option] }] }),
    "content_template[0].options[0]",
  ],
  [
    content.columns,
    (column) => ({ contentTemplate: [{ name: "a", inputMethod: InputMethod.ARRAY_ROW, columns: [column] }] }),
    "content_template[0].columns[0]",
  ],
  [
    CustomParameterSchema.field.name,
    (name) => ({ customParameters: [{ name, property: "a" }] }),
    "custom_parameters[0].name",
  ],
  [
    CustomParameterSchema.field.defaultValue,
    (defaultValue) => ({ customParameters: [{ name: "a", property: "a", defaultValue }] }),
    "custom_parameters[0].default_value",
  ],
];

test.each(texts)("%s has at most the characters of the contract", (field, changesOf, path) => {
  const { maxLength } = limitsOf(field);
  expect(maxLength).toBeGreaterThan(0);
  expect(faultsOf(changesOf("x".repeat(maxLength)))).toEqual([]);
  expect(faultsOf(changesOf("x".repeat(maxLength + 1)))).toEqual([path]);
});

test("a URL has at most the characters of the contract", () => {
  const { maxLength } = limitsOf(channel.url);
  const urlOf = (length: number) => "https://a.example/".padEnd(length, "x");
  expect([faultsOf({ url: urlOf(maxLength) }), faultsOf({ url: urlOf(maxLength + 1) })]).toEqual([
    [],
    ["url"],
  ]);
});

const namesOf = (count: number) => Array.from({ length: count }, (_, i) => `n${i}`);
const lists: readonly [DescField, (names: string[]) => Changes, string][] = [
  [
    channel.customHeaders,
    (names) => ({ customHeaders: names.map((name) => ({ name, value: "1" })) }),
    "custom_headers",
  ],
  [
    channel.contentTemplate,
    (names) => ({ contentTemplate: names.map((name) => ({ name, inputMethod: text })) }),
    "content_template",
  ],
  [
    channel.customParameters,
    (names) => ({ customParameters: names.map((name) => ({ name, property: "a" })) }),
    "custom_parameters",
  ],
  [FunnelSettingSchema.field.stepEvents, (stepEvents) => ({ funnel: { stepEvents } }), "funnel.step_events"],
  [
    FunnelSettingSchema.field.conversionEvents,
    (conversionEvents) => ({ funnel: { conversionEvents } }),
    "funnel.conversion_events",
  ],
  [
    content.options,
    (options) => ({ contentTemplate: [{ name: "a", inputMethod: InputMethod.DROPDOWN, options }] }),
    "content_template[0].options",
  ],
  [
    content.columns,
    (columns) => ({ contentTemplate: [{ name: "a", inputMethod: InputMethod.ARRAY_ROW, columns }] }),
    "content_template[0].columns",
  ],
];

test.each(lists)("%s has at most the entries of the contract", (field, changesOf, path) => {
  const { maxItems } = limitsOf(field);
  expect(maxItems).toBeGreaterThan(0);
  expect(faultsOf(changesOf(namesOf(maxItems)))).toEqual([]);
  expect(faultsOf(changesOf(namesOf(maxItems + 1)))).toEqual([path]);
});

const numbers: readonly [DescField, string][] = [
  ...DeliverySettingsSchema.fields
    .filter(({ name }) => name !== "strict_validation")
    .map((field): [DescField, string] => [field, "delivery"]),
  [FunnelSettingSchema.field.conversionWindowHours, "funnel"],
];

test.each(numbers)("%s of %s has the range of the contract, and its default is in it", (field, place) => {
  const { min, max } = rangeOf(field);
  const { also = max, defaultValue } = limitsOf(field);
  const faultsAt = (value: number) => faultsOf({ [place]: { [field.localName]: value } });
  expect([min, max, also, Number(defaultValue)].flatMap(faultsAt)).toEqual([]);
  expect(faultsAt(max + 1)).toEqual([`${place}.${field.name}`]);
  expect(faultsAt(Math.min(min, also) - 1)).toEqual([`${place}.${field.name}`]);
});
