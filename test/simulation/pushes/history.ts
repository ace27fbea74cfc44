import { channelStore } from "../../../store/channels/postgres/store.ts";
import { SqlChannels } from "../../../store/channels/sql/sql-channels.ts";
import { PostgresExecutor } from "../../../store/sql/postgres/executor.ts";
import type { DatabaseServer } from "../database/server.ts";
import { InvariantError } from "../invariant-error.ts";
import { historyStartMs, Replica } from "../replica.ts";
import type { Scheduler } from "../scheduler.ts";
import { World } from "../world.ts";
import { cancelLater } from "./canceller.ts";
import { PushInvariants } from "./invariants.ts";
import { beginRuns, type PushReplica, prepareRuns, sendBatches } from "./sender.ts";

/** How long things go wrong. */
const faultyMs = 12_000;

/**
 * Some replicas begin the run of a task, divide its recipients into batches and send them, while they are
 * killed, stopped and cut off from the database, and callers may cancel the task. Then the faults end and
 * all that is not cancelled is sent.
 * @param rewrite changes statements, as a fault of the store would
 * @throws InvariantError
 */
export async function runPushes(
  scheduler: Scheduler,
  server: DatabaseServer,
  rewrite?: (text: string) => string,
): Promise<void> {
  const { random } = scheduler;
  const recipients = Array.from({ length: random.pick([3, 6, 12, 30]) }, (_, at) => `recipient ${at}`);
  const invariants = new PushInvariants(server, recipients);
  const replicas: PushReplica[] = [];
  const world = new World({
    scheduler,
    server,
    rewrite,
    committed: (transaction) => invariants.committed(transaction),
    serve: async (replica) => {
      const channels = await openChannels(world, replica);
      const own: PushReplica = { replica, channels, world, invariants };
      replicas.push(own);
      for (const work of [beginRuns, prepareRuns, sendBatches]) void work(own);
    },
  });
  const taskId = await createTask(world, scheduler);
  const count = random.int(2, 3);
  for (let at = 0; at < count; at++) world.start();
  world.disturb();
  const callers = random.pick([0, 0, 0, 0, 0, 0, 1, 2]);
  let replied = 0;
  const isReplied = (): void => void replied++;
  const ports = { world, scheduler, invariants, replicas, taskId, replied: isReplied };
  for (let at = 0; at < callers; at++) cancelLater(ports);
  // Later calls would find nothing to do.
  const isDone = world.afterCommits(() => invariants.isDone());
  const isOver = (): boolean => replied === callers && isDone();
  await world.until(faultyMs, isOver);
  world.heal();
  await world.until(faultyMs + 120_000, isOver);
  if (!invariants.isDone()) throw new InvariantError("the task is not done");
  invariants.checkEnd();
}

async function openChannels(world: World, replica: Replica): Promise<SqlChannels> {
  const pool = world.network.createPool(replica, 4);
  const executor = new PostgresExecutor(channelStore, pool, { schema: "engage", maxWaiting: 1_000 });
  const leaseNow = await world.openLeaseClock(replica, () => executor.clock());
  return new SqlChannels(executor, { now: replica.clock.now, leaseNow, retentionMs: () => 86_400_000 });
}

/** Creates a channel and a task which is due after a second, before anything goes wrong. */
async function createTask(world: World, scheduler: Scheduler): Promise<string> {
  const faults = { ...world.network.faults };
  Object.assign(world.network.faults, { lostRequest: 0, lostReply: 0, slow: 0 });
  const creator = new Replica("creator", scheduler, { skewMs: 0, rate: 1 });
  const definition = Buffer.from("{}");
  let taskId: string | undefined;
  const create = async (): Promise<void> => {
    const channels = await openChannels(world, creator);
    const saved = await channels.createChannel({ name: "channel", projectId: 1, definition });
    if (saved.kind !== "saved") throw new Error(`the channel is ${saved.kind}`);
    const nextRunAtMs = historyStartMs + 1_000;
    const { channelId } = saved.channel;
    const created = await channels.createTask({ name: "task", channelId, definition, nextRunAtMs });
    if (created.kind === "created") taskId = created.task.taskId;
  };
  void create();
  await world.until(1_000, () => taskId !== undefined);
  if (taskId === undefined) throw new Error("the task is not created");
  creator.kill();
  Object.assign(world.network.faults, faults);
  return taskId;
}
