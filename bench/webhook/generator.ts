import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { TurnResult } from "../harness/connections.ts";

export interface Turn {
  readonly port: number;
  readonly path: string;
  readonly connections: number;
  readonly batches: number;
  /** Messages in a batch. */
  readonly elements: number;
  /** Batches a second; by default as many as the server accepts. */
  readonly perSecond?: number;
}

export interface Generator extends Disposable {
  run(turn: Turn): Promise<TurnResult>;
}

export function openGenerator(): Generator {
  const child = fork(join(import.meta.dirname, "load.ts"));
  child.on("exit", (code) => {
    if (code !== null && code !== 0) throw new Error(`the load generator ended with ${code}`);
  });
  return {
    async run(turn) {
      child.send(turn);
      const [result] = await once(child, "message");
      return result as TurnResult;
    },
    [Symbol.dispose]: () => void child.kill(),
  };
}
