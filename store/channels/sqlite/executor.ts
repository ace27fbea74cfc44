import type { DiskGuard } from "../../sql/sqlite/disk-guard.ts";
import { SqliteExecutor, workerBeside } from "../../sql/sqlite/executor.ts";
import type { WorkerSetup } from "../../sql/sqlite/messages.ts";
import type { ChannelsOperations } from "../sql/operations.ts";
import { channelStore } from "./store.ts";

const thread = { url: workerBeside(import.meta.url), name: "engage-channels" };

export class SqliteChannelsExecutor extends SqliteExecutor<ChannelsOperations> {
  constructor(setup: WorkerSetup, guard: DiskGuard) {
    super(channelStore, thread, setup, guard);
  }
}
