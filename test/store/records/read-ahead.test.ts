import { describe, expect, it } from "vitest";
import { readAhead } from "../../../store/records/read-ahead.ts";
import type { RecordPlace, RecordReader } from "../../../store/records/records.ts";

const at = (offset: number): RecordPlace => ({ number: 1, offset });

interface Spool {
  readonly reader: RecordReader;
  /** The offsets of all reads. */
  readonly reads: number[];
  size: number;
  fault: Error | undefined;
}

/** A spool of bytes which are their offsets. */
function createSpool(size: number): Spool {
  const spool = { reads: [] as number[], size, fault: undefined as Error | undefined };
  const reader = {
    async read({ offset }: RecordPlace, maxBytes: number) {
      spool.reads.push(offset);
      if (spool.fault !== undefined) throw spool.fault;
      const to = Math.min(spool.size, offset + maxBytes);
      const bytes = Uint8Array.from({ length: to - offset }, (_, index) => offset + index);
      return to === offset ? undefined : { from: at(offset), to: at(to), bytes };
    },
  };
  return Object.assign(spool, { reader: readAhead(reader as unknown as RecordReader) });
}

describe("a reader that reads ahead", () => {
  it("returns the chunks of reads in succession, and has read the next ones", async () => {
    const { reader, reads } = createSpool(100);
    const seen: number[] = [];
    for (let offset = 0; offset < 100; ) {
      const chunk = (await reader.read(at(offset), 30))!;
      expect(chunk.from).toEqual(at(offset));
      seen.push(...chunk.bytes);
      offset = chunk.to.offset;
    }
    expect(seen).toEqual(Array.from({ length: 100 }, (_, index) => index));
    expect(reads).toEqual([0, 30, 60, 90]);
    expect(await reader.read(at(100), 30)).toBeUndefined();
  });

  it("does not read ahead of chunks that are not full, or were not used whole", async () => {
    const spool = createSpool(90);
    const { reader, reads } = spool;
    for (const offset of [0, 20, 40, 60]) await reader.read(at(offset), 30);
    expect(reads).toEqual([0, 20, 40, 60]);
    for (const offset of [70, 90]) await reader.read(at(offset), 20);
    expect(reads.slice(4)).toEqual([70, 90]);
  });

  it("drops what it has read ahead of another place", async () => {
    const { reader, reads } = createSpool(200);
    for (const offset of [0, 30, 10]) await reader.read(at(offset), 30);
    expect(reads).toEqual([0, 30, 60, 10]);
  });

  it("keeps reads of other sizes apart", async () => {
    const { reader, reads } = createSpool(200);
    for (const offset of [0, 30]) await reader.read(at(offset), 30);
    expect((await reader.read(at(60), 5))?.bytes).toHaveLength(5);
    expect((await reader.read(at(60), 30))?.bytes).toHaveLength(30);
    expect(reads).toEqual([0, 30, 60, 60, 90]);
  });

  it("reads again what it could not read ahead", async () => {
    const spool = createSpool(200);
    const { reader } = spool;
    await reader.read(at(0), 30);
    const reading = reader.read(at(30), 30);
    await reading;
    spool.fault = new Error("unavailable");
    await reader.read(at(60), 30);
    await expect(reader.read(at(90), 30)).rejects.toThrow("unavailable");
    spool.fault = undefined;
    expect((await reader.read(at(90), 30))?.from).toEqual(at(90));
  });

  it("finds records that came after it had read ahead of the end", async () => {
    const spool = createSpool(60);
    const { reader } = spool;
    for (const offset of [0, 30]) await reader.read(at(offset), 30);
    spool.size = 80;
    expect((await reader.read(at(60), 30))?.to).toEqual(at(80));
  });
});
