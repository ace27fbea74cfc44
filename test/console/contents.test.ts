import { create } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import {
  contentOf,
  defaultContent,
  draftOfContent,
  namedFields,
  textOf,
} from "../../console/src/contents/content-draft.ts";
import { ChannelSchema, InputMethod } from "../../gen/engage/channel/v1/channel_pb.ts";
import { ContentSchema } from "../../gen/engage/channel/v1/task_pb.ts";

const channelWith = (...names: readonly string[]) =>
  create(ChannelSchema, { contentTemplate: names.map((name) => ({ name, inputMethod: InputMethod.TEXT })) });

test("fields of a channel that is being made are shown once they have a name, each name once", () => {
  const channel = channelWith("a", "", "b", "a", "");
  channel.contentTemplate[0]!.description = "first";
  expect(namedFields(channel).map(({ name, description }) => [name, description])).toEqual([
    ["a", "first"],
    ["b", ""],
  ]);
});

test("fields named as what every object has are fields like others", () => {
  const channel = channelWith("constructor", "__proto__", "toString");
  expect(textOf(defaultContent.texts, "constructor")).toBe("");
  expect(contentOf(defaultContent, channel)).toEqual(create(ContentSchema, { language: "default" }));
  const entered = { ...defaultContent, texts: { ...defaultContent.texts, ["__proto__"]: "x" } };
  const content = contentOf(entered, channel);
  expect(Object.entries(content.values).map(([name, { value }]) => [name, value.value])).toEqual([
    ["__proto__", "x"],
  ]);
  expect(textOf(draftOfContent(content).texts, "__proto__")).toBe("x");
});

test("values of fields that the channel does not have, or has in another form, are not sent", () => {
  const entered = { ...defaultContent, texts: { a: "1", gone: "2" }, rows: { a: [{ id: "3" }] } };
  expect(contentOf(entered, channelWith("a")).values).toMatchObject({ a: { value: { value: "1" } } });
  expect(Object.keys(contentOf(entered, channelWith("a")).values)).toEqual(["a"]);
});
