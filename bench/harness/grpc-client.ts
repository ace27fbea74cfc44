import { once } from "node:events";
import { connect, type IncomingHttpHeaders } from "node:http2";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { RequestSchema, ResponseSchema } from "../../gen/proto/parser_pb.ts";

/** Calls proto.Parser/Parse over one connection with little work of its own. */
export interface ParseClient extends Disposable {
  /** Sends a message made by `encodeContent`; resolves with the frame of the response. */
  call(frame: Buffer): Promise<Buffer>;
}

/** Large enough that flow control never waits: the benchmarks measure the server. */
const windowBytes = 128 * 1024 * 1024;

export function encodeContent(content: string): Buffer {
  const message = toBinary(RequestSchema, create(RequestSchema, { content: Buffer.from(content) }));
  const frame = Buffer.allocUnsafeSlow(5 + message.length);
  frame[0] = 0;
  frame.writeUInt32BE(message.length, 1);
  frame.set(message, 5);
  return frame;
}

export function decodeContent(frame: Buffer): string {
  return Buffer.from(fromBinary(ResponseSchema, frame.subarray(5)).content).toString();
}

export async function openParseClient(port: number): Promise<ParseClient> {
  const session = connect(`http://127.0.0.1:${port}`, {
    // In MB. Otherwise the client resets its own calls while it sends more than 10.
    maxSessionMemory: 1_000,
    settings: { initialWindowSize: windowBytes },
  });
  await once(session, "connect");
  session.setLocalWindowSize(windowBytes);
  return {
    call: (frame) =>
      new Promise((resolve, reject) => {
        const stream = session.request({
          ":method": "POST",
          ":path": "/proto.Parser/Parse",
          "content-type": "application/grpc+proto",
          te: "trailers",
        });
        const chunks: Buffer[] = [];
        let status: unknown;
        let message = "";
        const readStatus = (headers: IncomingHttpHeaders): void => {
          status = headers["grpc-status"];
          message = decodeURIComponent(String(headers["grpc-message"] ?? ""));
        };
        stream.on("data", (chunk: Buffer) => chunks.push(chunk));
        stream.on("response", readStatus);
        stream.on("trailers", readStatus);
        stream.on("error", reject);
        stream.on("end", () => {
          if (status === "0") resolve(Buffer.concat(chunks));
          else reject(new Error(`grpc-status ${String(status)}: ${message}`));
        });
        stream.end(frame);
      }),
    [Symbol.dispose]: () => session.close(),
  };
}
