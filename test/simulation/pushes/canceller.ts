import type { Scheduler } from "../scheduler.ts";
import type { World } from "../world.ts";
import type { PushInvariants } from "./invariants.ts";
import type { PushReplica } from "./sender.ts";

export interface CancelPorts {
  readonly world: World;
  readonly scheduler: Scheduler;
  readonly invariants: PushInvariants;
  /** All that were started, also those which are killed. */
  readonly replicas: readonly PushReplica[];
  readonly taskId: string;
  /** Called when the caller has a reply. */
  readonly replied: () => void;
}

/** A caller does not wait for ever. */
const patienceMs = 5_000;

/** Cancels the task at some time through some replica, and again through another one until there is a reply. */
export function cancelLater(ports: CancelPorts): void {
  const { world, scheduler, invariants, replicas, taskId, replied } = ports;
  const { random } = world;
  const cancel = (): void => {
    const alive = replicas.filter(({ replica }) => replica.isAlive);
    if (alive.length === 0) {
      again();
      return;
    }
    let isOver = false;
    const end = (isReplied: boolean): void => {
      if (isOver) return;
      isOver = true;
      if (isReplied) replied();
      else again();
    };
    random
      .pick(alive)
      .channels.cancelTask(taskId)
      .then(
        ({ kind }) => {
          world.check(() => invariants.cancelled(kind));
          end(true);
        },
        () => end(false),
      );
    scheduler.after(patienceMs, () => end(false));
  };
  const again = (): void => void scheduler.after(random.int(50, 1_000), cancel);
  // Some come while the run begins.
  scheduler.after(random.chance(0.4) ? random.int(800, 1_800) : random.int(1_800, 11_000), cancel);
}
