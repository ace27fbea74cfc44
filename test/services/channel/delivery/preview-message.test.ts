import { create } from "@bufbuild/protobuf";
import { expect, it } from "vitest";
import { TaskSchema } from "../../../../gen/engage/channel/v1/task_pb.ts";
import type { AudienceSource } from "../../../../services/channel/audience/source.ts";
import { previewMessage } from "../../../../services/channel/delivery/preview-message.ts";
import { channelWith, contentOf } from "../content/template.ts";
import { noUsers } from "./world.ts";

const { signal } = new AbortController();
const users: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  ann: { name: "Ann", level: 7, lang: "DE" },
  bob: { name: "Bob", lang: "fr" },
};
const audience: AudienceSource = {
  ...noUsers,
  lookup: async ({ pushIds }) => new Map(pushIds.flatMap((id) => (users[id] ? [[id, users[id]]] : []))),
};
const options = { audience, newRequestId: () => "r1" };

const both = (title: string) => [contentOf({ title }), contentOf({ title: `${title}!` }, {}, "de")];
const plain = create(TaskSchema, { contents: both("Hi"), languageProperty: "lang" });
const tested = create(TaskSchema, {
  contents: both("Hi"),
  languageProperty: "lang",
  experimentGroups: [
    { groupId: "a", share: 10 },
    { groupId: "b", share: 20, contents: [contentOf({ title: "B" })] },
  ],
});

it.each([
  ["the language of the recipient", plain, "ann", "", "", { title: "Hi!", body: "hello Ann" }, "", "de"],
  [
    "the default of another language",
    plain,
    "bob",
    "",
    "",
    { title: "Hi", body: "hello Bob" },
    "",
    "default",
  ],
  ["no properties of an unknown one", plain, "eve", "", "", { title: "Hi", body: "hello " }, "", "default"],
  ["a chosen language", plain, "ann", "", "default", { title: "Hi" }, "", "default"],
  ["the first group", tested, "ann", "", "", { title: "Hi!" }, "a", "de"],
  ["a chosen group", tested, "ann", "b", "", { title: "B" }, "b", "default"],
])("shows %s", async (_name, task, pushId, groupId, language, params, group, spoken) => {
  const request = { channel: channelWith(), task, pushId, groupId, language };
  const shown = await previewMessage(request, options, signal);
  expect([shown.groupId, shown.language]).toEqual([group, spoken]);
  expect(JSON.parse(shown.message!)).toMatchObject({
    push_id: pushId,
    params,
    "#ops_receipt_properties": {
      ops_project_id: 1,
      ops_task_id: "test",
      ops_request_id: "r1",
      ops_push_language: spoken,
      ...(group !== "" && { ops_exp_group_id: group }),
    },
  });
});

it("has no language in its receipt where all have the same", async () => {
  const task = create(TaskSchema, { contents: [contentOf({ title: "Hi" })] });
  const request = { channel: channelWith(), task, pushId: "ann", groupId: "", language: "" };
  expect((await previewMessage(request, options, signal)).message).not.toContain("ops_push_language");
});
