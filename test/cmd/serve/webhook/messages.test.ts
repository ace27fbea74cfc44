import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { Registry } from "prom-client";
import { expect, onTestFinished, test, vi } from "vitest";
import { createOutbound } from "../../../../base/net/outbound.ts";
import { createStopTime } from "../../../../cmd/serve/stop-time.ts";
import { openMessages } from "../../../../cmd/serve/webhook/messages.ts";
import { folderWith, loadText } from "../../config/load.ts";
import { createLog } from "../../log-lines.ts";

test("replaced channels and targets are not kept in memory", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const ignore = () => {};
  const { config } = loadText(JSON.stringify({ data: folderWith({}) }));
  const messages = await openMessages(config, {
    channels: new Map(),
    logger: createLog().logger,
    registry: new Registry(),
    receiveObserver: { accepted: ignore, answered: ignore, refused: ignore } as never,
    deliveryObserver: { called: ignore, breakerChanged: ignore, leaseLost: ignore, inboxFailed: ignore },
    pruneFailed: ignore,
    stop: createStopTime(
      () => 0,
      () => 0,
    ),
    tracer: undefined,
    holds: undefined,
  });
  onTestFinished(() => messages[Symbol.asyncDispose]());
  const outbound = createOutbound({ allow: [] });
  const change = () => {
    const webhook = { channels: {}, targets: {} };
    messages.prepare({ webhook, channels: new Map(), outbound }).apply();
    return new WeakRef(webhook);
  };
  const replaced = [change(), change(), change()];
  change();
  await vi.waitFor(() => {
    collect();
    // An error with the objects themselves would keep them.
    expect(replaced.filter((webhook) => webhook.deref() !== undefined)).toHaveLength(0);
  });
});
