import { DuckDBBlobVector, type DuckDBDataChunk } from "@duckdb/node-api";
import { Utf8Bytes } from "../../../../base/bytes/utf8-text.ts";

/** What the engine keeps of a blob: its length in 4 bytes, then the blob, or 4 of its bytes and its address. */
const headBytes = 16;
const addressAt = 8;

/** Longer blobs have an address. */
const maxInHead = 12;

/** Blobs are read together up to this size. */
const maxRunBytes = 65_536;

interface Run {
  readonly address: number;
  readonly bytes: Utf8Bytes;
}

/**
 * Reads texts in the blobs of a column without nulls, one blob at a time. Blobs that follow one another in memory, as
 * those of a result do, are read together: each reading of one with an address costs a call of the engine, 1.3 µs.
 */
export class BlobRuns {
  /** Blobs are read by their addresses, and their memory is freed with the chunk. */
  readonly #chunk: DuckDBDataChunk;
  readonly #vector: DuckDBBlobVector;
  readonly #heads: DataView;
  /** The last run of blobs with addresses. */
  #long = runOf(0, new Uint8Array());
  /** The run of the blob, which is alone if it has no address. */
  #run = this.#long;
  /** The place of the blob in the run. */
  #from = 0;
  #length = 0;

  /** @param column the column's index */
  constructor(chunk: DuckDBDataChunk, column: number) {
    this.#chunk = chunk;
    this.#vector = chunk.getColumnVector(column) as DuckDBBlobVector;
    // No public method returns the addresses.
    this.#heads = this.#vector["dataView"];
  }

  moveTo(row: number): void {
    this.#length = this.lengthOf(row);
    if (this.#length <= maxInHead) {
      this.#run = runOf(0, this.#vector.getItemBytes(row)!);
      this.#from = 0;
      return;
    }
    const address = this.#addressOf(row);
    const end = this.#long.address + this.#long.bytes.length;
    if (address < this.#long.address || address + this.#length > end) this.#long = this.#readFrom(row);
    this.#run = this.#long;
    this.#from = address - this.#run.address;
  }

  /** Bytes that contain the blob. */
  get bytes(): Utf8Bytes {
    return this.#run.bytes;
  }

  /** The place of the blob in the bytes. */
  get start(): number {
    return this.#from;
  }

  get length(): number {
    return this.#length;
  }

  /** Returns the text of a part of the blob in UTF-8. */
  text(start: number, end: number): string {
    return this.#run.bytes.text(this.#from + start, this.#from + end);
  }

  /** Returns the length of the blob of a row. */
  lengthOf(row: number): number {
    return this.#heads.getUint32(row * headBytes, true);
  }

  /** Reads the blob of a row, and those of the next rows that follow it. */
  #readFrom(row: number): Run {
    const address = this.#addressOf(row);
    let length = this.lengthOf(row);
    const { rowCount } = this.#chunk;
    for (let next = row + 1; next < rowCount; next++) {
      const more = this.lengthOf(next);
      if (more <= maxInHead) continue;
      if (this.#addressOf(next) !== address + length || length + more > maxRunBytes) break;
      length += more;
    }
    const head = new DataView(new ArrayBuffer(headBytes));
    head.setUint32(0, length, true);
    head.setBigUint64(addressAt, this.#heads.getBigUint64(row * headBytes + addressAt, true), true);
    const blob = new DuckDBBlobVector(head, this.#vector["validity"], this.#vector["vector"], 0, 1);
    return runOf(address, blob.getItemBytes(0)!);
  }

  /** Addresses have at most 48 bits. */
  #addressOf(row: number): number {
    const at = row * headBytes + addressAt;
    return this.#heads.getUint32(at, true) + this.#heads.getUint32(at + 4, true) * 2 ** 32;
  }
}

const runOf = (address: number, { buffer, byteOffset, byteLength }: Uint8Array): Run => ({
  address,
  bytes: new Utf8Bytes(Buffer.from(buffer, byteOffset, byteLength)),
});
