import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { toJson } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { readTask } from "../../../cmd/task/read-task.ts";
import { TaskSchema } from "../../../gen/engage/channel/v1/task_pb.ts";
import { folderWith } from "../config/load.ts";

const stdin = Readable.from([]);

function fileOf(text: string): string {
  const file = join(folderWith({}), "task.yaml");
  writeFileSync(file, text);
  return file;
}

const full = { title: { text: "Hello" }, count: { text: "3" } };
const contents = [{ language: "default", values: full }];

describe("a text stands for {text: …}", () => {
  it.each<[string, string, object]>([
    ["of a task", "contents: [{language: default, values: {title: Hello, count: 3}}]", { contents }],
    [
      "written out",
      "contents: [{language: default, values: {title: {text: Hello}, count: {text: '3'}}}]",
      { contents },
    ],
    [
      "of an A/B group",
      "experiment_groups: [{group_id: a, share: 50, contents: [{language: default, values: {title: Hello, count: 3}}]}, {group_id: b, share: 50}]",
      {
        experimentGroups: [
          { groupId: "a", share: 50, contents },
          { groupId: "b", share: 50 },
        ],
      },
    ],
    [
      "of an A/B group by its name in JSON",
      '{"experimentGroups": [{"groupId": "a", "contents": [{"language": "default", "values": {"title": "Hello", "count": 3}}]}]}',
      { experimentGroups: [{ groupId: "a", contents }] },
    ],
    [
      "beside rows",
      "contents: [{language: default, values: {title: Hello, count: 3, items: {rows: {rows: [{cells: {id: a}}]}}}}]",
      {
        contents: [
          { language: "default", values: { ...full, items: { rows: { rows: [{ cells: { id: "a" } }] } } } },
        ],
      },
    ],
  ])("%s", async (_what, text, expected) => {
    const task = await readTask(fileOf(text), { name: "n" }, stdin);
    expect(toJson(TaskSchema, task)).toMatchObject(expected);
  });

  it.each([
    ["contents: [{language: default, values: {title: [a]}}]", 'contents[0].values["title"]'],
    [
      "experiment_groups: [{contents: [{values: {title: [a]}}]}]",
      'experiment_groups[0].contents[0].values["title"]',
    ],
    ["experiment_groups: [5]", "experiment_groups[0]"],
    ["experiment_groups: {contents: []}", "experiment_groups"],
    ["contents: [{language: default, valeus: {title: a}}]", "valeus"],
  ])("what is none is refused by its place: %s", async (text, place) => {
    await expect(readTask(fileOf(text), {}, stdin)).rejects.toThrow(place);
  });
});
