import { expect, test } from "vitest";
import { createSiteLog } from "../../../cmd/serve/sites.ts";
import { sendHttp1 } from "../../e2e/raw.ts";
import { openGatewayForTest } from "../../gateway/gateway-server.ts";
import { createLog } from "../log-lines.ts";

test("a refused page is logged with the reason, with bounds on each text and on the lines", async () => {
  const { lines, logger } = createLog();
  const { port } = await openGatewayForTest({ sites: { onRefused: createSiteLog(logger) } });
  const long = "x".repeat(5_000);
  for (let i = 0; i < 20; i++) {
    await sendHttp1(port, `GET /metrics/${long}?token=secret`, { origin: `https://${long}.example` });
  }
  await sendHttp1(port, "GET /metrics", { host: "evil.example", "sec-fetch-site": "same-origin" });
  expect(lines.length).toBeLessThan(20);
  expect(JSON.stringify(lines).length).toBeLessThan(5_000);
  expect(JSON.stringify(lines)).not.toContain("secret");
  expect(lines[0]).toMatchObject({
    level: "warn",
    msg: "refused a page of another site",
    reason: "CROSS_SITE",
    method: "GET",
    path: expect.stringMatching(/^\/metrics\/x+…$/),
    origin: expect.stringMatching(/^https:\/\/x+…$/),
    host: "localhost",
    peer: "127.0.0.1",
  });
  expect(lines.at(-1)).toMatchObject({
    reason: "FOREIGN_HOST",
    host: "evil.example",
    site: "same-origin",
    path: "/metrics",
  });
});
