import type { DescField, JsonObject } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { createSchemaRegistry } from "../../../gateway/openapi/schema.ts";
import {
  ChannelAuthenticationSchema,
  ChannelSchema,
  ContentFieldSchema,
  DeliverySettingsSchema,
  FunnelSettingSchema,
} from "../../../gen/engage/channel/v1/channel_pb.ts";
import { ArrayRowSchema, ExperimentGroupSchema } from "../../../gen/engage/channel/v1/task_pb.ts";

const { describeField } = createSchemaRegistry({}, new Map());
const delivery = DeliverySettingsSchema.field;

test.each<[DescField, JsonObject]>([
  [ChannelSchema.field.name, { type: "string", maxLength: 100 }],
  [ChannelSchema.field.channelId, { type: "string" }],
  [ContentFieldSchema.field.name, { type: "string", maxLength: 100, pattern: "^[A-Za-z_][A-Za-z0-9_]*$" }],
  [
    FunnelSettingSchema.field.clickEvent,
    { type: "string", pattern: "^$|^[A-Za-z][A-Za-z0-9_]{0,49}$", default: "ops_push_click" },
  ],
  [
    FunnelSettingSchema.field.stepEvents,
    { type: "array", maxItems: 20, items: { type: "string", pattern: "^[A-Za-z][A-Za-z0-9_]{0,49}$" } },
  ],
  [ChannelAuthenticationSchema.field.secret, { type: "string", maxLength: 256, writeOnly: true }],
  [delivery.batchSize, { type: "integer", format: "int32", minimum: 1, maximum: 500, default: 100 }],
  [
    delivery.rateLimit,
    {
      type: "integer",
      format: "int32",
      anyOf: [{ minimum: 1, maximum: 10_000 }, { const: -1 }],
      default: -1,
    },
  ],
  [delivery.strictValidation, { type: "boolean", default: true }],
  [
    ExperimentGroupSchema.field.share,
    { type: "number", format: "double", exclusiveMinimum: 0, maximum: 100 },
  ],
  [
    ArrayRowSchema.field.cells,
    { type: "object", additionalProperties: { type: "string", maxLength: 20_000 } },
  ],
])("%s has its limits in the reference", (field, schema) => expect(describeField(field)).toEqual(schema));
