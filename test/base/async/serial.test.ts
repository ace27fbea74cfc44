import { expect, it } from "vitest";
import { createSerial } from "../../../base/async/serial.ts";

it("runs work in the order of the calls, one at a time", async () => {
  const serial = createSerial();
  const trace: string[] = [];
  const first = Promise.withResolvers<void>();
  const work = (name: string, until: Promise<void>) => async () => {
    trace.push(`begin ${name}`);
    await until;
    trace.push(`end ${name}`);
    return name;
  };
  const all = Promise.all([serial(work("a", first.promise)), serial(work("b", Promise.resolve()))]);
  first.resolve();
  expect(await all).toEqual(["a", "b"]);
  expect(trace).toEqual(["begin a", "end a", "begin b", "end b"]);
});

it("continues after a failure", async () => {
  const serial = createSerial();
  const failed = serial(() => Promise.reject(new Error("broken")));
  const next = serial(async () => 2);
  await expect(failed).rejects.toThrow("broken");
  expect(await next).toBe(2);
});
