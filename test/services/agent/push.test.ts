import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";
import { describe, expect, it } from "vitest";
import type {
  CreateTaskRequest,
  EstimateAudienceRequest,
} from "../../../gen/engage/channel/v1/channel_sender_pb.ts";
import { type Task, TaskState } from "../../../gen/engage/channel/v1/task_pb.ts";
import type { PushSettings } from "../../../services/agent/push/settings.ts";
import { createToolRig } from "./tool-rig.ts";

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const allowed: PushSettings = { allow: true, maxPerDay: 2, maxUsers: 100 };

/** A channel whose audience has `users` users, and which keeps the tasks that are created. */
function openRig(push: PushSettings, users = 4) {
  const created: CreateTaskRequest[] = [];
  const estimated: EstimateAudienceRequest[] = [];
  const stored: Pick<Task, "name" | "createTime">[] = [];
  const audience: { users: number; startFault?: ConnectError } = { users };
  const rig = createToolRig(
    {
      channels: {
        getChannel: ({ channelId }) => ({
          channel: { channelId, name: "Mail", projectId: 1n, pushIdProperty: "#account_id" },
        }),
        estimateAudience(request) {
          estimated.push(request);
          return {
            users: BigInt(audience.users + 1),
            reachable: BigInt(audience.users),
            samplePushIds: ["ann", "bob", "eve"].slice(0, Math.min(request.sampleSize, audience.users)),
          };
        },
        previewMessage: ({ task, pushId }) => ({
          message: JSON.stringify({
            push_id: pushId,
            title: task?.contents[0]?.values["title"]?.value.value,
          }),
          language: "default",
        }),
        listTasks: () => ({ tasks: stored }),
        createTask(request) {
          created.push(request);
          stored.unshift({ name: request.task!.name, createTime: timestampFromMs(rig.nowMs) } as Task);
          return { task: { ...request.task!, taskId: `t${created.length}` } };
        },
        runTask: ({ taskId }) => {
          if (audience.startFault !== undefined) throw audience.startFault;
          return { task: { taskId, state: TaskState.PREPARING, taskInstanceId: "run 1" } };
        },
      },
    },
    push,
  );
  return { rig, created, estimated, stored, audience };
}

const spring = {
  channel_id: "c1",
  name: "Spring",
  audience: { push_ids: ["ann", "bob", "eve", "zoe"] },
  contents: { default: { title: "Hello {name}" } },
};

describe("a preview", () => {
  it("has the size of the audience, three messages and a token", async () => {
    const { rig, created, estimated } = openRig(allowed);
    expect(await rig.call("preview_push", spring)).toEqual({
      channel: "Mail",
      users: 5,
      reachable: 4,
      messages: ["ann", "bob", "eve"].map((pushId) => ({
        push_id: pushId,
        language: "default",
        message: { push_id: pushId, title: "Hello {name}" },
      })),
      token: expect.stringMatching(/^[\w-]{24}$/),
      token_ends: "2026-03-01T12:15:00.000Z",
      may_send: true,
      pushes_left_today: 2,
    });
    expect(estimated.map(({ sampleSize }) => sampleSize)).toEqual([3]);
    expect(created).toEqual([]);
  });

  it.each([
    [{}, "audience has no member, valid is one of push_ids, cohort, users and behind"],
    [
      { cohort: "a", users: {} },
      "audience has cohort and users, valid is one of push_ids, cohort, users and behind",
    ],
  ])("of the audience %j is refused", async (audience, message) => {
    const { rig } = openRig(allowed);
    expect(await rig.failureOf("preview_push", { ...spring, audience })).toBe(message);
  });

  it.each([
    [{ cohort: "vips" }, "cohort"],
    [{ users: {} }, "users"],
    [
      { users: { filters: [{ column: "level", table: "user", comparator: "greater", values: [3] }] } },
      "users",
    ],
    [
      { behind: { query: { recent_day: "1-7", metrics: [{ event: "login" }] }, time: "2026-02-28" } },
      "analysis",
    ],
  ])("takes the audience %j", async (audience, source) => {
    const { rig, estimated } = openRig(allowed);
    await rig.call("preview_push", { ...spring, audience });
    expect(estimated[0]?.audience?.source.case).toBe(source);
  });
});

describe("sending", () => {
  it("creates a task with the agents' prefix and runs it", async () => {
    const { rig, created } = openRig(allowed);
    const { token } = await rig.call("preview_push", spring);
    expect(await rig.call("send_push", { token })).toMatchObject({
      task_id: "t1",
      run: "run 1",
      state: "preparing",
      reachable: 4,
      pushes_left_today: 1,
    });
    expect(created[0]?.task).toMatchObject({ name: "agent: Spring", channelId: "c1" });
  });

  it("names the task that was created when it cannot be started", async () => {
    const { rig, audience, created } = openRig(allowed);
    const { token } = await rig.call("preview_push", spring);
    audience.startFault = new ConnectError("the store is full", Code.ResourceExhausted);
    expect(await rig.failureOf("send_push", { token })).toBe(
      'task "t1" was created and counts for today, but starting it failed: resource exhausted: the store is full; see its state with channels_and_tasks, an operator can run or delete it',
    );
    expect(created).toHaveLength(1);
    expect(await rig.failureOf("send_push", { token })).toMatch(notKnown);
  });

  const notKnown =
    /^token is not known here, was used, or is older than 15 minutes: call preview_push again$/;

  it("happens once for a token", async () => {
    const { rig, created } = openRig(allowed);
    const { token } = await rig.call("preview_push", spring);
    await rig.call("send_push", { token });
    expect(await rig.failureOf("send_push", { token })).toMatch(notKnown);
    expect(created.length).toBe(1);
  });

  it("happens once when a token is sent twice at the same time", async () => {
    const { rig, created } = openRig(allowed);
    const { token } = await rig.call("preview_push", spring);
    const both = await Promise.allSettled([
      rig.call("send_push", { token }),
      rig.call("send_push", { token }),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    expect(created.length).toBe(1);
  });

  it("needs a token of this caller which is not too old", async () => {
    const { rig, created } = openRig(allowed);
    expect(await rig.failureOf("send_push", { token: "made-up" })).toMatch(notKnown);
    const { token } = await rig.call("preview_push", spring);
    rig.caller = "another";
    expect(await rig.failureOf("send_push", { token })).toMatch(notKnown);
    rig.caller = "agent";
    rig.nowMs += 15 * minuteMs;
    expect(await rig.failureOf("send_push", { token })).toMatch(notKnown);
    expect(created).toEqual([]);
  });

  it("is off unless the configuration allows it, which the preview says", async () => {
    const { rig, created } = openRig({ ...allowed, allow: false });
    const refusal = "agents may send no pushes: mcp.push.allow is false in the server's configuration";
    const { token, ...preview } = await rig.call("preview_push", spring);
    expect(preview).toMatchObject({ may_send: false, refusal, pushes_left_today: 0 });
    expect(await rig.failureOf("send_push", { token })).toBe(refusal);
    expect(created).toEqual([]);
  });

  it("ends for the day at its limit, which counts the tasks in the store", async () => {
    const { rig, stored, created } = openRig(allowed);
    const at = (ms: number) => timestampFromMs(rig.nowMs - ms);
    stored.push(
      { name: "Spring sale", createTime: at(minuteMs) },
      { name: "agent: of another replica", createTime: at(2 * minuteMs) },
      { name: "agent: yesterday", createTime: at(dayMs) },
    );
    const first = await rig.call("preview_push", spring);
    const second = await rig.call("preview_push", spring);
    await rig.call("send_push", { token: first.token });
    expect(await rig.failureOf("send_push", { token: second.token })).toBe(
      "agents have sent 2 pushes today (UTC), which is the limit mcp.push.maxPerDay",
    );
    rig.nowMs += dayMs;
    const next = await rig.call("preview_push", spring);
    await rig.call("send_push", { token: next.token });
    expect(created.length).toBe(2);
  });

  it("is refused when the audience has become too large, or empty", async () => {
    const { rig, audience, created } = openRig(allowed);
    const { token } = await rig.call("preview_push", spring);
    audience.users = 101;
    expect(await rig.failureOf("send_push", { token })).toBe(
      "the audience has 101 users, more than the limit of 100 (mcp.push.maxUsers)",
    );
    audience.users = 0;
    expect(await rig.failureOf("send_push", { token })).toBe("no user of the audience can receive it");
    expect(created).toEqual([]);
    audience.users = 100;
    await rig.call("send_push", { token });
    expect(created.length).toBe(1);
  });
});
