import { setTimeout as sleep } from "node:timers/promises";
import type { Transport } from "@connectrpc/connect";
import type { Config } from "../config/config.ts";

/** What each part of the demo works with. */
export interface Demo {
  readonly url: string;
  readonly config: Config;
  /** gRPC to the server. */
  readonly transport: Transport;
  /** Prints one line. */
  say(text?: string): void;
}

const patienceMs = 20_000;

/** Asks until the answer is as it should be, but not for ever: then it is what is there. */
export async function until<T>(ask: () => Promise<T>, isRight: (answer: T) => boolean): Promise<T> {
  for (const endMs = performance.now() + patienceMs; ; await sleep(50)) {
    const found = await ask();
    if (isRight(found) || performance.now() > endMs) return found;
  }
}
