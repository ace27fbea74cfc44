import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { checkBody, checkFrames, type MessageFormat } from "../../../gateway/adapter/check-messages.ts";
import { ReceiveRequestSchema } from "../../../gen/engage/webhook/v1/webhook_receiver_pb.ts";

/** Two bytes for each of 1.2 million empty messages. */
const bomb = Buffer.alloc(2_400_000);
for (let at = 0; at < bomb.length; at += 2) bomb[at] = 0x12;
const small = bomb.subarray(0, 20);

const framedAs = (encoding: string): MessageFormat => ({
  desc: ReceiveRequestSchema,
  encoding,
  maxBytes: 16 * 1024 * 1024,
});

function frame(payload: Buffer, flags: number): Buffer {
  const head = Buffer.alloc(5);
  head[0] = flags;
  head.writeUInt32BE(payload.length, 1);
  return Buffer.concat([head, payload]);
}

async function* chunksOf(...chunks: readonly Buffer[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

async function all(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const found: Uint8Array[] = [];
  for await (const chunk of chunks) found.push(chunk);
  return Buffer.concat(found);
}

const refused = { rawMessage: expect.stringContaining("holds more than 1000000 messages"), code: 3 };

describe("frames", () => {
  it.each([
    ["plain", "", frame(bomb, 0)],
    ["compressed", "gzip", frame(gzipSync(bomb), 1)],
    ["after an honest one", "gzip", Buffer.concat([frame(small, 0), frame(gzipSync(bomb), 1)])],
  ])("of a message with too much in it are refused: %s", async (_what, encoding, bytes) => {
    await expect(all(checkFrames(chunksOf(bytes), framedAs(encoding)))).rejects.toMatchObject(refused);
  });

  it.each([
    ["plain", "", frame(small, 0), frame(small, 0)],
    ["compressed, which go on inflated", "gzip", frame(gzipSync(small), 1), frame(small, 0)],
    ["of an end of stream", "gzip", frame(Buffer.from("{}"), 2), frame(Buffer.from("{}"), 2)],
    ["damaged, for the library to refuse", "gzip", frame(small, 1), frame(small, 1)],
    ["of another encoding", "zstd", frame(small, 1), frame(small, 1)],
    ["that are cut", "", frame(small, 0).subarray(0, 9), frame(small, 0).subarray(0, 9)],
  ])("go on: %s", async (_what, encoding, bytes, expected) => {
    expect(await all(checkFrames(chunksOf(bytes, bytes), framedAs(encoding)))).toEqual(
      Buffer.concat([expected, expected]),
    );
  });
});

describe("a body", () => {
  it.each([
    ["plain", "", bomb],
    ["compressed", "gzip", gzipSync(bomb)],
  ])("with too much in it is refused: %s", async (_what, encoding, bytes) => {
    await expect(all(checkBody(chunksOf(bytes), framedAs(encoding)))).rejects.toMatchObject(refused);
  });

  it.each([
    ["plain", "", small],
    ["compressed", "gzip", gzipSync(small)],
    ["damaged", "gzip", small],
  ])("goes on as it is: %s", async (_what, encoding, bytes) => {
    expect(await all(checkBody(chunksOf(bytes), framedAs(encoding)))).toEqual(bytes);
  });
});
