import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { type Channel, ChannelSchema, InputMethod } from "../../../../gen/engage/channel/v1/channel_pb.ts";
import { type Content, ContentSchema } from "../../../../gen/engage/channel/v1/task_pb.ts";

/** A channel with a field of every input method. */
export function channelWith(given: MessageInitShape<typeof ChannelSchema> = {}): Channel {
  return create(ChannelSchema, {
    name: "mail",
    projectId: 1n,
    url: "http://127.0.0.1/hook",
    pushIdProperty: "#account_id",
    contentTemplate: [
      { name: "title", inputMethod: InputMethod.TEXT, required: true },
      { name: "body", inputMethod: InputMethod.DYNAMIC_TEXT, defaultValue: "hello {name}" },
      { name: "count", inputMethod: InputMethod.NUMBER },
      { name: "kind", inputMethod: InputMethod.DROPDOWN, options: ["a", "b"] },
      { name: "day", inputMethod: InputMethod.DATE },
      { name: "at", inputMethod: InputMethod.TIME },
      { name: "items", inputMethod: InputMethod.ARRAY_ROW, columns: ["item_id", "number"] },
    ],
    customParameters: [
      { name: "level", property: "level", defaultValue: "0" },
      { name: "nick", property: "Name" },
    ],
    ...given,
  });
}

export function contentOf(
  texts: Readonly<Record<string, string>>,
  rows: Readonly<Record<string, readonly Readonly<Record<string, string>>[]>> = {},
  language = "default",
): Content {
  const textValues = Object.entries(texts).map(([name, value]) => [
    name,
    { value: { case: "text" as const, value } },
  ]);
  const rowValues = Object.entries(rows).map(([name, cells]) => [
    name,
    { value: { case: "rows" as const, value: { rows: cells.map((one) => ({ cells: { ...one } })) } } },
  ]);
  return create(ContentSchema, { language, values: Object.fromEntries([...textValues, ...rowValues]) });
}
