import { afterAll, describe, expect, test } from "vitest";
import { sendHttp1 } from "../../e2e/raw.ts";
import { openGateway } from "../gateway-server.ts";

const server = await openGateway();
afterAll(() => server.gateway.drain(0));

const unary = "application/json, application/proto and those of gRPC and gRPC-Web";
const stream = "application/connect+json, application/connect+proto and those of gRPC and gRPC-Web";

describe("a call of Connect with a content type that is not served", () => {
  test.each([
    ["Echo", "text/plain", `content-type "text/plain" is not supported, valid are ${unary}`],
    ["Echo", "application/grpc+x", `content-type "application/grpc+x" is not supported, valid are ${unary}`],
    ["Echo", undefined, `the content-type is missing, valid are ${unary}`],
    ["Watch", "application/json", `content-type "application/json" is not supported, valid are ${stream}`],
  ])("is answered by %s with what is valid instead of %s", async (method, type, message) => {
    const headers = { "content-length": "2", ...(type !== undefined && { "content-type": type }) };
    const path = `/engage.test.v1.Library/${method}`;
    const answer = await sendHttp1(server.port, `POST ${path}`, headers, Buffer.from("{}"));
    expect(answer.status).toBe(415);
    expect(JSON.parse(answer.body.toString())).toMatchObject({ code: 3, message });
  });
});
