import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { detectGzip, gunzip } from "../../../base/compression/gzip-files.ts";

async function* chunksOf(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function textOf(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all).toString("utf8");
}

describe("detectGzip", () => {
  it.each([
    ["gzip data", gzipSync("text"), true],
    ["text", Buffer.from("text"), false],
    ["one byte of gzip", Buffer.of(0x1f), false],
    ["nothing", Buffer.alloc(0), false],
  ])("knows %s, byte by byte, and gives all of it", async (_name, bytes, isGzip) => {
    const detected = await detectGzip(chunksOf(bytes, 1));
    expect(detected.isGzip).toBe(isGzip);
    expect(await textOf(detected.chunks)).toBe(bytes.toString("utf8"));
  });
});

describe("gunzip", () => {
  it("inflates several members", async () => {
    const bytes = Buffer.concat([gzipSync("one "), gzipSync("two")]);
    expect(await textOf(gunzip(chunksOf(bytes, 7)))).toBe("one two");
  });

  it("rejects data that end too early, and other data", async () => {
    await expect(textOf(gunzip(chunksOf(gzipSync("text").subarray(0, -4), 7)))).rejects.toThrow(
      "unexpected end of file",
    );
    await expect(textOf(gunzip(chunksOf(Buffer.from("text"), 7)))).rejects.toThrow("incorrect header check");
  });

  it("rejects with the error of its source", async () => {
    async function* failing(): AsyncGenerator<Uint8Array> {
      yield gzipSync("text").subarray(0, 12);
      throw new Error("the disk failed");
    }
    await expect(textOf(gunzip(failing()))).rejects.toThrow("the disk failed");
  });
});
