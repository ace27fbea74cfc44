import { readdirSync, readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";

/** Processor time of a process in milliseconds: of the thread of its event loop, and of all threads together. */
export interface Cpu {
  readonly eventLoop: number;
  readonly all: number;
}

/** The kernel counts in nanoseconds here: https://docs.kernel.org/scheduler/sched-stats.html */
export function readCpu(pid: number): Cpu {
  let [eventLoop, all] = [0, 0];
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const ms = readThread(pid, thread);
    if (thread === String(pid)) eventLoop = ms;
    all += ms;
  }
  return { eventLoop, all };
}

function readThread(pid: number, thread: string): number {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ", 1)[0]) / 1e6;
  } catch {
    // It has ended meanwhile.
    return 0;
  }
}

/** Measures the CPU time that `work` costs a process, including its later work for it. */
export async function costOf(pid: number, work: () => Promise<void>): Promise<Cpu> {
  await quiet(pid);
  const before = readCpu(pid);
  await work();
  const after = await quiet(pid);
  return { eventLoop: after.eventLoop - before.eventLoop, all: after.all - before.all };
}

/** A process that uses less than this in `intervalMs` has nothing to do. */
const quietMs = 0.4;
const intervalMs = 10;
const maxIntervals = 400;

async function quiet(pid: number): Promise<Cpu> {
  let last = readCpu(pid);
  for (let interval = 0; interval < maxIntervals; interval++) {
    await setTimeout(intervalMs);
    const now = readCpu(pid);
    if (now.all - last.all < quietMs) return now;
    last = now;
  }
  return last;
}
