import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

export interface TargetPorts {
  readonly fast: number;
  /** Sleeps 5 s before it answers. */
  readonly slow: number;
}

export interface Targets extends TargetPorts, Disposable {
  /** How old the messages of each call of the fast target were, since this was asked last. */
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
