import { expect, test } from "vitest";
import { limitsOf, patternOf, rangeOf } from "../../../base/protobuf/limits.ts";
import { ChannelSchema, DeliverySettingsSchema } from "../../../gen/engage/channel/v1/channel_pb.ts";
import { TextFormat, TextFormatSchema } from "../../../gen/engage/gateway/v1/limits_pb.ts";

test("limits are those of the contract; a field without any has none", () => {
  expect(limitsOf(ChannelSchema.field.name)).toMatchObject({ required: true, maxLength: 100 });
  expect(limitsOf(ChannelSchema.field.channelId)).toMatchObject({
    required: false,
    maxLength: 0,
    maxItems: 0,
  });
  expect(rangeOf(DeliverySettingsSchema.field.batchSize)).toEqual({ min: 1, max: 500 });
  expect(() => rangeOf(ChannelSchema.field.name)).toThrow("engage.channel.v1.Channel.name has no range");
});

test.each([
  [TextFormat.KEY, "title_2", "2title"],
  [TextFormat.PROPERTY, "#account_id", "a b"],
  [TextFormat.PROPERTY, "item@dim.name", "#"],
  [TextFormat.EVENT_NAME, "ops_push_click", "_click"],
  [TextFormat.HEADER_NAME, "X-A_b", "x y"],
  [TextFormat.HEADER_VALUE, "Bearer a\tb", " a"],
  [TextFormat.LANGUAGE, "zh-CN", "zh-"],
  [TextFormat.ID, "a:1", "a 1"],
  [TextFormat.DAY, "2026-01-31", "2026-1-31"],
  [TextFormat.TIME, "2026-01-31 23:59:59", "2026-01-31 24:00:00"],
])("the pattern of format %i matches %j and not %j", (format, right, wrong) => {
  expect(patternOf(format).test(right)).toBe(true);
  expect(patternOf(format).test(wrong)).toBe(false);
});

test("a format that is described in words has no pattern", () => {
  const words = [TextFormat.UNSPECIFIED, TextFormat.LINE, TextFormat.URL];
  for (const format of words) expect(() => patternOf(format)).toThrow("has no pattern");
  expect(TextFormatSchema.values).toHaveLength(12);
});
