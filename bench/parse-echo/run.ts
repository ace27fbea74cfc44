import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { create, toBinary } from "@bufbuild/protobuf";
import { RequestSchema } from "../../gen/proto/parser_pb.ts";
import { compare } from "../harness/compare.ts";
import { makeFolder, runTool, type Server, startServer } from "../harness/processes.ts";

/** Measures Parse as an echo of 200 bytes over gRPC with 8 connections of 32 streams each. */
const callsPerRound = 20_000;
const rounds = 5;

const folder = makeFolder();
const messageFile = join(folder, "message.bin");
const line = JSON.stringify({
  "#type": "track",
  "#time": "2026-01-02 03:04:05.678",
  "#event_name": "e",
  "#account_id": "a",
  properties: {},
});
const message = toBinary(RequestSchema, create(RequestSchema, { content: Buffer.from(line.padEnd(200)) }));
const prefix = Buffer.alloc(5);
prefix.writeUInt32BE(message.length, 1);
writeFileSync(messageFile, Buffer.concat([prefix, message]));

const engage = (port: number, access: boolean): Promise<Server> =>
  startServer(`cmd/engage.ts serve`, port, {
    ENGAGE_CONFIG: "bench/parse-echo/engage.yaml",
    ENGAGE_LISTEN: `127.0.0.1:${port}`,
    ENGAGE_DATA: join(folder, "data"),
    ENGAGE_LOG_ACCESS: String(access),
  });

await using quiet = await engage(7301, false);
await using logging = await engage(7302, true);
await using grpcJs = await startServer("bench/parse-echo/grpc-js.ts", 7303);
await using adapter = await startServer("bench/parse-echo/connect-adapter.ts", 7304);
await using bare = await startServer("bench/parse-echo/node-http2.ts", 7305);

await compare(
  [
    { name: "engage (interceptors, metrics)", server: quiet },
    { name: "engage (and access log)", server: logging },
    { name: "@grpc/grpc-js", server: grpcJs, bar: "≥ 1.0" },
    { name: "connect adapter", server: adapter, bar: "≥ 5" },
    { name: "bare node:http2", server: bare, bar: "aim: 0.85" },
  ],
  rounds,
  async ({ port }) => {
    const output = await runTool("h2load", [
      "-n",
      String(callsPerRound),
      "-c",
      "8",
      "-m",
      "32",
      "-d",
      messageFile,
      "-H",
      "content-type: application/grpc+proto",
      "-H",
      "te: trailers",
      `http://127.0.0.1:${port}/proto.Parser/Parse`,
    ]);
    if (!output.includes(`${callsPerRound} succeeded, 0 failed`)) throw new Error(output);
    return { calls: callsPerRound, perSecond: Number(/([\d.]+) req\/s/.exec(output)?.[1]) };
  },
);
