import { create } from "@bufbuild/protobuf";
import { type Channel, type ContentField, InputMethod } from "../../../gen/engage/channel/v1/channel_pb.ts";
import {
  type Content,
  ContentSchema,
  type ContentValue,
  ContentValueSchema,
} from "../../../gen/engage/channel/v1/task_pb.ts";
import { defaultLanguage } from "./check-content.ts";

const samples: Partial<Record<InputMethod, string>> = {
  [InputMethod.TEXT]: "sample",
  [InputMethod.DYNAMIC_TEXT]: "sample",
  [InputMethod.NUMBER]: "1",
  [InputMethod.DATE]: "2024-01-01",
  [InputMethod.TIME]: "2024-01-01 00:00:00",
};

/** Completes a content for a test of a channel: fields with neither a value nor a default get a sample value. */
export function sampleContent(
  { contentTemplate }: Pick<Channel, "contentTemplate">,
  given: Content | undefined,
): Content {
  const values = Object.fromEntries(
    contentTemplate.map((field): [string, ContentValue] => [field.name, sampleValue(field)]),
  );
  const language = given?.language || defaultLanguage;
  return create(ContentSchema, { language, values: { ...values, ...given?.values } });
}

function sampleValue(field: ContentField): ContentValue {
  const { inputMethod, defaultValue, defaultRows, options, columns } = field;
  if (inputMethod === InputMethod.ARRAY_ROW) {
    if (defaultRows?.rows.length) {
      return create(ContentValueSchema, { value: { case: "rows", value: defaultRows } });
    }
    const cells = Object.fromEntries(columns.map((column) => [column, "1"]));
    return create(ContentValueSchema, { value: { case: "rows", value: { rows: [{ cells }] } } });
  }
  const value = defaultValue || samples[inputMethod] || (options[0] ?? "");
  return create(ContentValueSchema, { value: { case: "text", value } });
}
