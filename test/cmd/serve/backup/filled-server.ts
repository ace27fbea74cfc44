import { expect, vi } from "vitest";
import { folderWith } from "../../config/load.ts";
import { type EventServer, settingsOf, trackOf } from "../../event-server.ts";
import type { RunResult } from "../../run-engage.ts";

export const patience = { timeout: 20_000 };
export const messages = {
  webhook: {
    channels: { mail: { auth: "off", targets: ["box"] } },
    targets: { box: { kind: "pull" } },
    inbox: { minFreeBytes: 0 },
  },
  channel: { outbound: { allow: ["127.0.0.0/8"] } },
};
const channel = {
  name: "mail",
  projectId: 1,
  url: "http://127.0.0.1:9/",
  pushIdProperty: "#account_id",
  authentication: { secret: "a-shared-secret" },
  contentTemplate: [{ name: "title", inputMethod: "INPUT_METHOD_DYNAMIC_TEXT", required: true }],
};

/** A folder with a configuration, whose data folder is `data` in it. */
export function makeFolder(changes: object = {}): string {
  return folderWith({ "engage.yaml": settingsOf("data", { ...messages, ...changes }) });
}

/** Stores something of each kind. */
export async function fill(server: EventServer): Promise<void> {
  await server.send([trackOf("a"), trackOf("b"), { ...trackOf("c"), "#type": "user_set" }]);
  await vi.waitFor(async () => expect(await server.times("login")).toBe(2), patience);
  await server.post("/webhook/mail", [{ push_id: "ann", "#ops_receipt_properties": {} }]);
  expect(await server.post("/v1/channels", channel)).toContain('"channelId":"c1"');
  await server.post("/sync_server", ["broken"], { appid: "app", compress: "none" });
}

/** What is in a backup of it, without a token. */
export const contents = {
  projects: 1,
  events: 2,
  users: 3,
  waitingBytes: 0,
  batches: 1,
  pushChannels: 1,
  tasks: 0,
  savedQueries: 0,
  tokens: 1,
};

export const failed = (message: string): Partial<RunResult> => ({
  code: 1,
  stderr: expect.stringContaining(message),
});
