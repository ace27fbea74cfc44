import type { Transport } from "@connectrpc/connect";
import type { Config } from "./config.ts";

/** What each part of the demo works with. */
export interface Demo {
  readonly url: string;
  readonly config: Config;
  /** gRPC to the server. */
  readonly transport: Transport;
  /** Prints one line. */
  say(text?: string): void;
}
