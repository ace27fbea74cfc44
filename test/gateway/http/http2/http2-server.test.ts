import { once } from "node:events";
import { connect } from "node:http2";
import { expect, onTestFinished, test } from "vitest";
import { defaultLimits } from "../../../../gateway/limits.ts";
import { sendHttp2 } from "../../../e2e/raw.ts";
import { openGatewayForTest } from "../../gateway-server.ts";
import { grpc, hello } from "../dial.ts";

test("the first connections, which come at once, are all served", async () => {
  const { url } = await openGatewayForTest();
  const responses = await Promise.all(Array.from({ length: 100 }, () => sendHttp2(url, grpc, hello)));
  expect(responses.filter(({ headers }) => headers["grpc-status"] === "0")).toHaveLength(100);
});

test("the first connection has limits that were changed before", async () => {
  const { gateway, url } = await openGatewayForTest();
  const limits = { ...defaultLimits, maxConcurrentStreams: 7 };
  gateway.prepare({ limits, sites: { hosts: [], cors: [], asksForKeys: false } })();
  const session = connect(url);
  onTestFinished(() => session.destroy());
  const [settings] = await once(session, "remoteSettings");
  expect(settings).toMatchObject({ maxConcurrentStreams: 7 });
});
