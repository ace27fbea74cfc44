import { Code } from "@connectrpc/connect";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sha256Hex } from "../../base/text/digest.ts";
import { createAuthorizer } from "../../gateway/auth.ts";
import { recordOf } from "../../gateway/call/record.ts";
import { openGateway, type TestGateway } from "../gateway/gateway-server.ts";
import { clientKinds, type TestClient } from "./clients.ts";
import { grpcStatusOf, openHttp2, sendHttp1 } from "./raw.ts";

const authorize = createAuthorizer({
  mode: "keys",
  keys: [
    { name: "all", sha256: sha256Hex("key-all"), methods: ["*"] },
    { name: "echo", sha256: sha256Hex("key-echo"), methods: ["engage.test.v1.Library/Echo"] },
    { name: "service", sha256: sha256Hex("key-service"), methods: ["engage.test.v1.Library/*"] },
    { name: "read", sha256: sha256Hex("key-read"), methods: ["*"], access: "read" },
    { name: "other", sha256: sha256Hex("key-other"), methods: ["engage.test.v1.Failing/*"] },
  ],
});

describe.each([true, false])("with the lanes %j", (lanes) => {
  let server: TestGateway;
  beforeAll(async () => {
    server = await openGateway({ lanes, authorize });
  });
  afterAll(() => server.gateway.drain(0));

  describe.each(clientKinds)("$name", ({ open }) => {
    let client: TestClient;
    beforeAll(() => {
      client = open(server.url);
    });
    afterAll(() => client[Symbol.dispose]());

    test.each([
      ["authorization", "Bearer key-all", "all"],
      ["authorization", "bearer  key-echo", "echo"],
      ["x-api-key", "key-service", "service"],
    ])("%s: %s is %s to the handler", async (name, value, key) => {
      await client.echo({}, { headers: { [name]: value } });
      const { caller } = recordOf(server.seen.contexts.at(-1)!.values);
      expect(caller).toEqual({ kind: "key", name: key });
    });

    test.each([
      ["no key", {}, Code.Unauthenticated],
      ["an unknown key", { authorization: "Bearer nope" }, Code.Unauthenticated],
      ["another scheme", { authorization: "Basic a2V5LWFsbA==" }, Code.Unauthenticated],
      ["a key that may only read", { authorization: "Bearer key-read" }, Code.PermissionDenied],
      ["a key for other methods", { authorization: "Bearer key-other" }, Code.PermissionDenied],
    ])("%s is refused before the handler", async (_name, headers, code) => {
      const calls = server.seen.contexts.length;
      await expect(client.echo({}, { headers })).rejects.toMatchObject({ code });
      expect(server.seen.contexts.length).toBe(calls);
      expect((await server.settled()).at(-1)?.code).toBe(code);
    });
  });

  describe.each(["Echo", "Collect", "Watch"])(
    "a refused caller of %s need not send its message",
    (method) => {
      test.each([
        ["application/grpc", {}],
        ["application/grpc", { "grpc-encoding": "gzip" }],
        ["application/grpc+json", {}],
        ["application/grpc-web+proto", {}],
        ["application/grpc-web+json", { "grpc-encoding": "gzip" }],
      ])("%s %j", async (type, headers) => {
        const head = { ":path": `/engage.test.v1.Library/${method}`, "content-type": type, ...headers };
        using request = openHttp2(server.url, head);
        expect(grpcStatusOf(await request.answer)).toBe(Code.Unauthenticated);
      });
    },
  );

  test.each([
    ["/engage.test.v1.Library/Echo", "application/json", {}],
    ["/engage.test.v1.Library/Echo", "application/proto", { "content-encoding": "gzip" }],
    ["/v1/echo", "application/json", {}],
    ["/v1/echo", "application/json", { "content-encoding": "br" }],
  ])("a refused caller of %s need not send its body: %s %j", async (path, type, headers) => {
    const head = { "content-type": type, "content-length": "10000000", ...headers };
    expect((await sendHttp1(server.port, `POST ${path}`, head)).status).toBe(401);
    using request = openHttp2(server.url, { ":path": path, "content-type": type, ...headers });
    expect((await request.answer).status).toBe(401);
  });

  test("the answer over HTTP says how to authenticate", async () => {
    const headers = { "content-type": "application/json", "content-length": "2" };
    const answer = await sendHttp1(server.port, "POST /engage.test.v1.Library/Echo", headers, "{}");
    expect([answer.status, answer.headers["www-authenticate"]]).toEqual([401, "Bearer"]);
  });

  test("health needs no key", async () => {
    const headers = { "content-type": "application/json", "content-length": "2" };
    const answer = await sendHttp1(server.port, "POST /grpc.health.v1.Health/Check", headers, "{}");
    expect([answer.status, `${answer.body}`]).toEqual([200, '{"status":"SERVING"}']);
  });
});
