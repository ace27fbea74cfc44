import { Code, ConnectError, createContextValues } from "@connectrpc/connect";
import { expect, it } from "vitest";
import { createCallLimiter } from "../../../services/channel/limited-methods.ts";

const { signal } = new AbortController();
const callers = new Map<object, string>();

function callOf(caller: string) {
  const values = createContextValues();
  callers.set(values, caller);
  return { signal, values };
}

it("limits the calls of one caller, runs those of another in between, and refuses what cannot wait", async () => {
  const limits = { what: "channel tests", maxRunning: 2, maxWaiting: 1 };
  const limitCall = createCallLimiter(limits, ({ values }) => callers.get(values));
  const begun: string[] = [];
  const { promise: end, resolve } = Promise.withResolvers<void>();
  const call = (caller: string, name: string) =>
    limitCall(callOf(caller), 1n, async () => {
      begun.push(name);
      await end;
      return name;
    });
  const calls = [call("a", "a1"), call("a", "a2"), call("a", "a3")];
  const refused = ConnectError.from(await call("a", "a4").catch((error: unknown) => error));
  expect([refused.code, refused.rawMessage]).toEqual([
    Code.ResourceExhausted,
    "2 channel tests run and 1 wait, try again later",
  ]);
  calls.push(call("b", "b1"));
  await expect.poll(() => begun).toEqual(["a1", "a2", "b1"]);
  resolve();
  expect(await Promise.all(calls)).toEqual(["a1", "a2", "a3", "b1"]);
  expect(begun.at(-1)).toBe("a3");
});
