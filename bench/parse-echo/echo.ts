import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { create, toBinary } from "@bufbuild/protobuf";
import { RequestSchema } from "../../gen/proto/parser_pb.ts";
import { makeFolder, runTool, type Server, startServer } from "../harness/processes.ts";

/** Calls of one round. */
const calls = 20_000;
const folder = makeFolder();

/** Starts a server whose Parse is an echo. */
export function startEngage(port: number, environment: Record<string, string> = {}): Promise<Server> {
  return startServer("cmd/engage.ts serve", port, {
    ENGAGE_CONFIG: "bench/parse-echo/engage.yaml",
    ENGAGE_LISTEN: `127.0.0.1:${port}`,
    ENGAGE_DATA: join(folder, `data-${port}`),
    ...environment,
  });
}

/** Returns a function that makes one round of calls of 200 bytes over gRPC, on 8 connections of 32 streams each. */
export function createLoad(): (server: Server) => Promise<{ calls: number; perSecond: number }> {
  const file = join(folder, "message.bin");
  writeFileSync(file, encodeMessage());
  const headers = ["content-type: application/grpc+proto", "te: trailers"].flatMap((header) => [
    "-H",
    header,
  ]);
  const args = ["-n", `${calls}`, "-c", "8", "-m", "32", "-d", file, ...headers];
  return async ({ port }) => {
    const output = await runTool("h2load", [...args, `http://127.0.0.1:${port}/proto.Parser/Parse`]);
    if (!output.includes(`${calls} succeeded, 0 failed`)) throw new Error(output);
    return { calls, perSecond: Number(/([\d.]+) req\/s/.exec(output)?.[1]) };
  };
}

function encodeMessage(): Buffer {
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
  return Buffer.concat([prefix, message]);
}
