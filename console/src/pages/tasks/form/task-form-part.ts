import type { Client } from "@connectrpc/connect";
import type { Channel } from "../../../../../gen/engage/channel/v1/channel_pb.ts";
import type { ChannelSender } from "../../../../../gen/engage/channel/v1/channel_sender_pb.ts";
import type { Faults } from "../../../form/faults.ts";
import type { LimitText } from "../../../form/limits.ts";
import type { TaskDraft } from "./task-draft.ts";

/** What the parts of the form of a task share. */
export interface TaskFormPart {
  readonly client: Client<typeof ChannelSender>;
  readonly channel: Channel;
  readonly draft: TaskDraft;
  /** By paths within the task. */
  readonly faults: Faults;
  readonly isBusy: boolean;
  /** Runs a call; the form shows what is wrong. Nothing is called if something is wrong already. */
  readonly submit: (call: () => Promise<void>, wrong?: Faults<LimitText>) => Promise<void>;
}
