import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { createChannelOutbound, openFollowingExchange } from "../../../../cmd/serve/channel/outbound.ts";
import { createExchange } from "../../../../services/channel/exchange/exchange.ts";
import { loadText } from "../../config/load.ts";

test("an address that is not allowed any more is not called over kept connections", async () => {
  const waiting: ServerResponse[] = [];
  const server = createServer((request, response) => {
    request.resume();
    if (request.headers["x-wait"] === undefined) response.end();
    else waiting.push(response);
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const place = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { channel } = loadText("").config;
  const rules = { channel: { ...channel, outbound: { allow: [place] } } };
  using open = openFollowingExchange(createChannelOutbound(rules), (outbound) =>
    createExchange({ url: `http://${place}/`, outbound, maxConnections: 2, maxResponseBytes: 1_000 }),
  );
  const { signal } = new AbortController();
  const post = async (headers: Record<string, string> = {}) =>
    (await open.exchange({ headers, body: new Uint8Array(1), signal })).kind;
  expect([await post(), await post()]).toEqual(["response", "response"]);
  const inProgress = post({ "x-wait": "1" });
  await expect.poll(() => waiting.length).toBe(1);
  rules.channel.outbound = { allow: [] };
  expect(await post()).toBe("refused_address");
  waiting[0]!.end();
  expect(await inProgress).toBe("response");
  await expect
    .poll(() => new Promise((resolve) => server.getConnections((_error, count) => resolve(count))))
    .toBe(0);
});
