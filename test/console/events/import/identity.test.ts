import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { type Digest, identityOf } from "../../../../console/src/pages/events/import/identity.ts";

const content = Buffer.from("user,time\nann,2026-01-01\n".repeat(1_000));

/** A file whose stream has pieces of this size. */
function fileOf(bytes: Buffer, pieceBytes: number) {
  const pieces = Array.from({ length: Math.ceil(bytes.length / pieceBytes) }, (_, i) =>
    bytes.subarray(i * pieceBytes, (i + 1) * pieceBytes),
  );
  let given = 0;
  const stream = () =>
    new ReadableStream<Uint8Array<ArrayBuffer>>(
      {
        pull(controller) {
          const piece = pieces[given++];
          if (piece === undefined) controller.close();
          else controller.enqueue(new Uint8Array(piece));
        },
      },
      { highWaterMark: 0 },
    );
  return { size: bytes.length, stream, given: () => given };
}

const options = { signal: new AbortController().signal, progress: () => {} };
const sha256 = (): Digest => createHash("sha256");
const identity = (bytes: Buffer, pieceBytes = 4_096) =>
  identityOf(fileOf(bytes, pieceBytes), sha256(), options);

describe("the identity of a file", () => {
  test("is that of its content, in whatever pieces it is read", async () => {
    const expected = `table-${createHash("sha256").update(content).digest("hex").slice(0, 32)}`;
    const found = [await identity(content, 1), await identity(content, 7), await identity(content, 1 << 20)];
    expect(found).toEqual([expected, expected, expected]);
  });

  test("is another for another content of the same size", async () => {
    const changed = Buffer.from(content);
    changed[changed.length - 2] = 0x32;
    expect(await identity(changed)).not.toBe(await identity(content));
    expect(await identity(Buffer.alloc(0))).toMatch(/^table-[0-9a-f]{32}$/);
  });

  test("comes with the share that was read, one piece at a time", async () => {
    const file = fileOf(content, content.length / 4);
    const ahead: number[] = [];
    const shares: number[] = [];
    const progress = (share: number): void => {
      shares.push(share);
      ahead.push(file.given() - shares.length);
    };
    await identityOf(file, sha256(), { ...options, progress });
    expect(shares).toEqual([0.25, 0.5, 0.75, 1]);
    expect(Math.max(...ahead)).toBe(0);
  });

  test("is given up when its reader leaves", async () => {
    const file = fileOf(content, 100);
    const end = new AbortController();
    const progress = () => end.abort(new Error("left"));
    await expect(identityOf(file, sha256(), { signal: end.signal, progress })).rejects.toThrow("left");
    expect(file.given()).toBeLessThan(5);
  });
});
