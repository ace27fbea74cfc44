import { type ClientHttp2Session, type ClientHttp2Stream, connect as connectHttp2 } from "node:http2";
import { Code } from "@connectrpc/connect";
import { onTestFinished } from "vitest";
import { grpcStatusOf, type RawAnswer } from "../../e2e/raw.ts";
import type { TestGateway } from "../gateway-server.ts";

export const path = "/engage.test.v1.Library/Echo";
export const text = { "content-type": "application/json" };
/** The ways to send a body. */
export const kinds: readonly [name: string, headers: Record<string, string>, isEnveloped: boolean][] = [
  ["gRPC", { ":path": path, "content-type": "application/grpc" }, true],
  ["compressed gRPC", { ":path": path, "content-type": "application/grpc", "grpc-encoding": "gzip" }, true],
  ["gRPC-Web", { ":path": path, "content-type": "application/grpc-web+proto" }, true],
  [
    "a stream of requests",
    { ":path": path.replace("Echo", "Collect"), "content-type": "application/grpc" },
    true,
  ],
  ["Connect", { ":path": path, ...text }, false],
  ["REST", { ":path": "/v1/echo", ...text }, false],
];

export const library = {
  async collect(requests: AsyncIterable<{ text: string }>) {
    let texts = "";
    for await (const { text: one } of requests) texts += one;
    return { text: texts };
  },
};

/** A session of the test's own, ended with it. */
export function openSession(server: TestGateway): ClientHttp2Session {
  const session = connectHttp2(server.url);
  session.on("error", () => undefined);
  onTestFinished(() => void session.destroy());
  return session;
}

export interface Upload {
  readonly stream: ClientHttp2Stream;
  readonly answer: Promise<RawAnswer>;
}

/** Begins a request whose body the test writes. */
export function upload(session: ClientHttp2Session, headers: Record<string, string>): Upload {
  const stream = session.request({ ":method": "POST", ...headers });
  const received = {};
  const chunks: Buffer[] = [];
  stream.on("response", (head) => Object.assign(received, head));
  stream.on("trailers", (trailers) => Object.assign(received, trailers));
  stream.on("error", () => undefined);
  stream.on("data", (chunk: Buffer) => chunks.push(chunk));
  const answer = new Promise<RawAnswer>((resolve) => {
    stream.once("close", () =>
      resolve({
        body: Buffer.concat(chunks),
        status: Number((received as { ":status"?: number })[":status"]),
        headers: received,
      }),
    );
  });
  return { stream, answer };
}

/** 429 is what Connect and REST say of it. */
export const isBusy = (answer: RawAnswer): boolean =>
  grpcStatusOf(answer) === Code.ResourceExhausted || answer.status === 429;
export const isLate = (answer: RawAnswer): boolean =>
  grpcStatusOf(answer) === Code.DeadlineExceeded || /deadline_exceeded|in time/.test(`${answer.body}`);
