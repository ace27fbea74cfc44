import { expect, it } from "vitest";
import { compileReceipts, type ReceiptIds } from "../../../../services/channel/content/receipts.ts";

const task = { kind: "task", taskId: "t1", taskInstanceId: "t1_2024-01-01", execDetailId: "5" } as const;
const journey = { kind: "journey", flowId: "f", flowVersion: "2", nodeId: "n" } as const;
const ofTask = {
  ops_project_id: 7,
  ops_task_id: "t1",
  ops_task_instance_id: "t1_2024-01-01",
  ops_task_exec_detail_id: "5",
};
const ofJourney = { ops_project_id: 7, ops_flow_id: "f", ops_flow_version: "2", ops_node_id: "n" };

const cases: readonly (readonly [string, Omit<ReceiptIds, "projectId">, object])[] = [
  ["a task", { origin: task, groupId: "", language: "" }, { ...ofTask, ops_request_id: "r" }],
  [
    "a task with an A/B test",
    { origin: task, groupId: "A", language: "" },
    { ...ofTask, ops_exp_group_id: "A", ops_request_id: "r" },
  ],
  [
    "a task in several languages",
    { origin: task, groupId: "", language: "default" },
    { ...ofTask, ops_push_language: "default", ops_request_id: "r" },
  ],
  ["a journey", { origin: journey, groupId: "", language: "" }, ofJourney],
  [
    "a journey with both",
    { origin: journey, groupId: "B", language: "en" },
    { ...ofJourney, ops_exp_group_id: "B", ops_push_language: "en" },
  ],
];

it.each(cases)("receipts of %s have exactly their ids", (_kind, ids, expected) => {
  expect(JSON.parse(compileReceipts({ projectId: 7, ...ids })("r"))).toEqual(expected);
});
