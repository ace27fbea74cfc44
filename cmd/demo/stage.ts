import { setTimeout as sleep } from "node:timers/promises";
import type { Transport } from "@connectrpc/connect";
import type { Config } from "../config/config.ts";

/** The server and the output that each part of the demo uses. */
export interface Demo {
  readonly url: string;
  readonly config: Config;
  /** The gRPC transport to the server. */
  readonly transport: Transport;
  /** Prints one line. */
  say(text?: string): void;
}

const patienceMs = 20_000;

/** Repeats a query until its result is as expected. After a time limit, returns the last result. */
export async function until<T>(ask: () => Promise<T>, isRight: (value: T) => boolean): Promise<T> {
  for (const endMs = performance.now() + patienceMs; ; await sleep(50)) {
    const found = await ask();
    if (isRight(found) || performance.now() > endMs) return found;
  }
}
