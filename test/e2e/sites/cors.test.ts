import { describe, expect, test } from "vitest";
import { evil, getStats, infoRequest, json, serveSites, shop, unauthenticated } from "./sites-server.ts";

const { send } = serveSites();

describe("CORS", () => {
  const preflight = {
    "access-control-request-method": "POST",
    "access-control-request-headers": "content-type,x-grpc-web,connect-protocol-version,grpc-timeout",
  };

  test.each([
    "/sync_js",
    "/sync_server",
    "/sync",
    "/sync_json",
    "/sync_data",
    "/sync_xcx",
    "/logbus",
    "/data_debug",
    "/config",
  ])("%s is open to every origin", async (path) => {
    for (const origin of [evil, shop, "null"]) {
      const asked = await send(`OPTIONS ${path}`, { origin, ...preflight });
      expect(asked.status).toBe(204);
      expect(asked.headers).toMatchObject({
        "access-control-allow-origin": origin,
        "access-control-allow-credentials": "true",
        "access-control-allow-headers": preflight["access-control-request-headers"],
        "access-control-max-age": "7200",
        vary: expect.stringContaining("origin"),
      });
      const answer = await send(`POST ${path}`, { origin, ...json }, "{}");
      expect(answer.headers).toMatchObject({ "access-control-allow-origin": origin, vary: "origin" });
    }
  });

  test.each([
    ["/metrics", "GET, HEAD"],
    ["/v1/channels", "GET, POST"],
    ["/v1/webhook/stats", "GET"],
    [getStats, "POST"],
    [infoRequest, "POST"],
  ])("%s is open to the origins in gateway.cors", async (path, methods) => {
    const asked = await send(`OPTIONS ${path}`, { origin: shop, ...preflight });
    expect(asked.status).toBe(204);
    expect(asked.headers).toMatchObject({
      "access-control-allow-origin": shop,
      "access-control-allow-methods": methods,
      "access-control-allow-headers": preflight["access-control-request-headers"],
    });
    const refused = await send(`OPTIONS ${path}`, { origin: evil, ...preflight });
    expect(refused.status).toBe(403);
    expect(refused.headers["access-control-allow-origin"]).toBeUndefined();
  });

  test.each(unauthenticated)(
    "%s answers a listed page, which reads the status of gRPC",
    async (line, own, body, status) => {
      const answer = await send(line, { ...own, origin: shop, "sec-fetch-site": "cross-site" }, body);
      expect(answer.status).toBe(status);
      expect(answer.headers).toMatchObject({
        "access-control-allow-origin": shop,
        "access-control-expose-headers": expect.stringMatching(
          /grpc-message, grpc-status, grpc-status-details-bin/,
        ),
        vary: expect.stringContaining("origin"),
      });
    },
  );

  test("caches are informed also by responses to others, and by compressed ones", async () => {
    expect((await send("GET /healthz", {})).headers["vary"]).toBe("origin");
    const packed = await send("GET /openapi.json", { "accept-encoding": "gzip" });
    expect(packed.headers["vary"]).toBe("origin, accept-encoding");
    expect((await send("GET /", {})).headers["vary"]).toBe("origin, accept");
  });

  test("a page of a public site may ask for a server in a private network", async () => {
    const headers = { origin: shop, ...preflight, "access-control-request-private-network": "true" };
    expect((await send("OPTIONS /sync_js", headers)).headers["access-control-allow-private-network"]).toBe(
      "true",
    );
  });

  test("a listed origin does not make a foreign name a good one", async () => {
    expect((await send("GET /metrics", { origin: shop, host: "evil.example" })).status).toBe(421);
  });
});
