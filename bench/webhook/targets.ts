import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

export interface TargetPorts {
  readonly fast: number;
  /** Sleeps 5 s before it responds. */
  readonly slow: number;
}

export interface Targets extends TargetPorts, Disposable {
  /** Returns the ages of the messages of each call to the fast target since the last call of this. */
  agesMs(): Promise<readonly number[]>;
}

export async function openTargets(): Promise<Targets> {
  const child = fork(join(import.meta.dirname, "target-servers.ts"));
  const [ports] = (await once(child, "message")) as [TargetPorts];
  return {
    ...ports,
    async agesMs() {
      child.send("ages");
      const [ages] = await once(child, "message");
      return ages as readonly number[];
    },
    [Symbol.dispose]: () => void child.kill(),
  };
}
