import { Code, ConnectError } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { grpcStatusOf, openHttp2, sendHttp1 } from "../e2e/raw.ts";
import { openGatewayForTest } from "./gateway-server.ts";

const path = "/engage.test.v1.Library/Echo";

function admit(): never {
  throw new ConnectError("only callers with a key", Code.Unauthenticated);
}

const open = (lanes: boolean) =>
  openGatewayForTest({ lanes, admitCaller: { echo: admit }, library: { echo: () => Promise.reject() } });

test.each([
  [true, "application/grpc", {}],
  [true, "application/grpc", { "grpc-encoding": "gzip" }],
  [true, "application/grpc-web+proto", {}],
  [true, "application/json", {}],
  [true, "application/proto", {}],
  [true, "application/proto", { "content-encoding": "gzip" }],
  [false, "application/grpc", {}],
  [false, "application/grpc-web+proto", {}],
  [false, "application/json", {}],
  [false, "application/proto", {}],
])("a caller is refused before its message is here: lanes %j, %s %j", async (lanes, type, headers) => {
  const server = await open(lanes);
  using call = openHttp2(server.url, { ":path": path, "content-type": type, ...headers });
  const answer = await call.answer;
  expect([String(grpcStatusOf(answer)), String(answer.status)]).toContain(
    type.includes("grpc") ? "16" : "401",
  );
  expect(server.finished.map(({ code }) => code)).toEqual([Code.Unauthenticated]);
});

test("callers of REST are another thing", async () => {
  const server = await openGatewayForTest({ admitCaller: { echo: admit } });
  const headers = { "content-type": "application/json", "content-length": "2" };
  expect((await sendHttp1(server.port, "POST /v1/echo", headers, "{}")).status).toBe(200);
});
