import type { Transport } from "@connectrpc/connect";
import { expect, it } from "vitest";
import { createCalls } from "../../../services/agent/calls.ts";

it("the calls of one tool share its time", async () => {
  const clock = { ms: 1_000 };
  const given: (number | undefined)[] = [];
  const transport = {
    async unary(_method, _signal, timeoutMs) {
      given.push(timeoutMs);
      throw new Error("not served");
    },
  } as Partial<Transport> as Transport;
  const { signal } = new AbortController();
  const { catalog } = createCalls(transport, { caller: "agent", signal, steadyMs: () => clock.ms });
  for (const ms of [1_000, 9_000.5, 50_999.9, 60_000]) {
    clock.ms = ms;
    await catalog.listProjects({}).catch(() => {});
  }
  expect(given).toEqual([50_000, 42_000, 1, 1]);
});
