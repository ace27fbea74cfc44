import { setTimeout as sleep } from "node:timers/promises";
import type { DescService } from "@bufbuild/protobuf";
import { type Client, createClient } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import type { Calls } from "./calls.ts";
import { key } from "./server.ts";

/** What the scenes of the examples play with. */
export interface World {
  readonly url: string;
  /** Makes calls which become examples. */
  readonly calls: Calls;
  /** Makes calls which do not. */
  client<S extends DescService>(service: S): Client<S>;
}

export function createWorld(url: string, calls: Calls): World {
  const transport = createConnectTransport({
    baseUrl: url,
    httpVersion: "1.1",
    interceptors: [
      (next) => (request) => {
        request.header.set("authorization", `Bearer ${key}`);
        return next(request);
      },
    ],
  });
  return { url, calls, client: (service) => createClient(service, transport) };
}

/** Waits until something is so, for at most a minute. */
export async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  for (let waits = 0; waits < 2_400; waits++) {
    if (await isSo()) return;
    await sleep(25);
  }
  throw new Error(`after a minute, it is not so that ${what}`);
}
