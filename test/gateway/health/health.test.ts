import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { describe, expect, it } from "vitest";
import { createHealth } from "../../../gateway/health/health.ts";
import {
  Health as HealthService,
  HealthCheckResponse_ServingStatus as ServingStatus,
} from "../../../gen/grpc/health/v1/health_pb.ts";
import { connectInMemory } from "../in-memory.ts";

const { SERVING, NOT_SERVING, SERVICE_UNKNOWN } = ServingStatus;

function open(...names: string[]) {
  const health = createHealth(names);
  const client = createClient(HealthService, connectInMemory([health.served]));
  const abort = new AbortController();
  const watch = (service: string) => {
    const answers = client.watch({ service }, { signal: abort.signal })[Symbol.asyncIterator]();
    return async () => {
      const { done, value } = await answers.next();
      return done ? "end" : value.status;
    };
  };
  return { health, client, watch, abort };
}

describe("Check", () => {
  it.each([
    ["the server as a whole", "", SERVING],
    ["a service", "a.B", SERVING],
    ["a service that was stopped", "a.C", NOT_SERVING],
    ["a name that was added", "plugin", SERVING],
  ])("answers for %s", async (_, service, status) => {
    const { health, client } = open("a.B", "a.C");
    health.set("a.C", "not serving");
    health.set("plugin", "serving");
    expect((await client.check({ service })).status).toBe(status);
  });

  it("names a service that it does not know", async () => {
    const { client } = open("a.B");
    const error = await client.check({ service: "a.X" }).catch(ConnectError.from);
    expect(error).toMatchObject({
      code: Code.NotFound,
      rawMessage: 'there is no service "a.X" on this server, valid are "a.B"',
    });
  });
});

describe("Watch", () => {
  it("sends the state at once and each change after it", async () => {
    const { health, watch } = open("a.B");
    const next = watch("a.B");
    expect(await next()).toBe(SERVING);
    health.set("a.B", "not serving");
    expect(await next()).toBe(NOT_SERVING);
    health.set("a.B", "serving");
    expect(await next()).toBe(SERVING);
  });

  it("is silent when another service changes, or nothing does", async () => {
    const { health, watch } = open("a.B", "a.C");
    const next = watch("a.B");
    expect(await next()).toBe(SERVING);
    const second = next();
    health.set("a.C", "not serving");
    health.set("a.B", "serving");
    health.set("a.B", "not serving");
    expect(await second).toBe(NOT_SERVING);
  });

  it("keeps watching a service that is not known yet", async () => {
    const { health, watch } = open();
    const next = watch("late.Service");
    expect(await next()).toBe(SERVICE_UNKNOWN);
    health.set("late.Service", "serving");
    expect(await next()).toBe(SERVING);
  });

  it("gives a slow consumer the latest state", async () => {
    const { health, watch } = open("a.B");
    const next = watch("a.B");
    expect(await next()).toBe(SERVING);
    for (const status of ["not serving", "serving", "not serving"] as const) health.set("a.B", status);
    health.drain();
    expect([await next(), await next()]).toEqual([NOT_SERVING, "end"]);
  });

  it("ends when the caller goes away", async () => {
    const { watch, abort } = open("a.B");
    const next = watch("a.B");
    await next();
    const second = next().catch((error: unknown) => ConnectError.from(error).code);
    abort.abort();
    expect(await second).toBe(Code.Canceled);
  });

  it("ends its own side when the signal aborts", async () => {
    const { health, abort } = open("a.B");
    const spec = health.served.methods.find(({ desc }) => desc.localName === "watch")!.spec;
    const watch = spec.impl as unknown as (
      request: { service: string },
      context: { signal: AbortSignal },
    ) => AsyncIterator<{ status: number }>;
    const answers = watch({ service: "a.B" }, { signal: abort.signal });
    expect(await answers.next()).toEqual({ done: false, value: { status: SERVING } });
    const second = answers.next();
    abort.abort();
    expect(await second).toEqual({ done: true, value: undefined });
  });
});

describe("drain", () => {
  it.each([
    ["a service", "a.B", [SERVING, NOT_SERVING, "end"]],
    ["the server as a whole", "", [SERVING, NOT_SERVING, "end"]],
    ["an unknown service", "a.X", [SERVICE_UNKNOWN, "end", "end"]],
  ])("ends the Watch of %s after telling", async (_, service, expected) => {
    const { health, watch } = open("a.B");
    const next = watch(service);
    const first = await next();
    health.drain();
    expect([first, await next(), await next()]).toEqual(expected);
  });

  it("ends a Watch that begins later too", async () => {
    const { health, watch } = open("a.B");
    health.drain();
    const next = watch("a.B");
    expect([await next(), await next()]).toEqual([NOT_SERVING, "end"]);
  });

  it("is for good", async () => {
    const { health, client } = open("a.B");
    health.drain();
    health.set("a.B", "serving");
    expect(health.isDraining).toBe(true);
    expect(health.statusOf("a.B")).toBe("not serving");
    expect((await client.check({ service: "" })).status).toBe(NOT_SERVING);
  });
});
