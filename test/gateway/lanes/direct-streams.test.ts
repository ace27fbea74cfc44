import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect, type ServerHttp2Stream } from "node:http2";
import { expect, onTestFinished, test } from "vitest";
import { openGatewayForTest } from "../gateway-server.ts";
import { grpc, hello } from "../http/dial.ts";
import { onStreamStart } from "../stream-start.ts";

const tls = {
  cert: readFileSync("test/testdata/tls/server.pem"),
  key: readFileSync("test/testdata/tls/server.key"),
};

test.each([
  ["plain text", {}],
  ["TLS", { tls }],
])(
  "streams of small calls over %s are used directly after the first, in this version of Node",
  async (_name, options) => {
    const streams: ServerHttp2Stream[] = [];
    onStreamStart((stream) => void streams.push(stream));
    const { url } = await openGatewayForTest({ ...options, library: { echo: ({ text }) => ({ text }) } });
    const session = connect(url, { rejectUnauthorized: false });
    onTestFinished(() => session.destroy());
    for (const _call of [1, 2]) {
      const request = session.request(grpc);
      request.resume().end(hello);
      await once(request, "close");
    }
    // Node has not been asked to respond.
    const [first, second] = streams.map(({ headersSent, destroyed }) => ({ headersSent, destroyed }));
    expect([first, second]).toEqual([expect.anything(), { headersSent: false, destroyed: true }]);
  },
);
