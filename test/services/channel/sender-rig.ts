import { join } from "node:path";
import { type Client, createClient, createRouterTransport } from "@connectrpc/connect";
import { ChannelSender } from "../../../gen/engage/channel/v1/channel_sender_pb.ts";
import { createChannelSender } from "../../../services/channel/channel.ts";
import { checkContent } from "../../../services/channel/content/check-content.ts";
import type { SenderOptions, TestRequest } from "../../../services/channel/ports.ts";
import type { ChannelStore } from "../../../store/channels/channels.ts";
import { openSqliteChannels } from "../../../store/channels/sqlite/open.ts";
import { openTempFolder } from "../../store/inbox/temp-folder.ts";
import { projects } from "./channels/sample-channel.ts";

export interface SenderRig extends AsyncDisposable {
  readonly client: Client<typeof ChannelSender>;
  readonly store: ChannelStore;
  /** Milliseconds since 1970. */
  nowMs: number;
  /** Tests of channels that were asked for. */
  readonly tests: TestRequest[];
  /** How often a task with a schedule was made. */
  scheduled: number;
}

/** The service over a store of its own; what sends, and what knows users, is played. */
export async function openSender(changes: Partial<SenderOptions> = {}): Promise<SenderRig> {
  const folder = await openTempFolder();
  const rig = { nowMs: Date.parse("2026-03-01T23:30:00Z"), scheduled: 0, tests: [] as TestRequest[] };
  const now = (): number => rig.nowMs;
  const store = await openSqliteChannels({ path: join(folder.path, "channels.db"), now });
  const service = createChannelSender({
    store,
    projects,
    now,
    checkContent,
    checkAudience: async () => ({ violations: [], warnings: [] }),
    refusedAddress: async () => undefined,
    estimate: async ({ sampleSize }) => ({
      users: 12,
      reachable: 10,
      samplePushIds: ["ann", "bob"].slice(0, sampleSize),
    }),
    async testChannel(request) {
      rig.tests.push(request);
      return { status: 200, signature: "00ff", strict: { succeeded: true } };
    },
    async previewMessage({ pushId, groupId, language }) {
      return { message: `{"push_id":"${pushId}"}`, groupId, language };
    },
    funnels: async ({ channel, run }) => [{ groupId: `${channel.name} ${run.runId}` }],
    sleep: async () => {},
    stopping: new AbortController().signal,
    scheduled() {
      rig.scheduled += 1;
    },
    callerOf: () => "test",
    ...changes,
  });
  const transport = createRouterTransport(({ service: add }) => add(ChannelSender, service));
  return Object.assign(rig, {
    store,
    client: createClient(ChannelSender, transport),
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  });
}
