const firstPlaces = 256;

/** The values of records in the bytes of a line, one place for each. */
export class RecordValues {
  /** Of texts: the offset of the first byte. */
  starts = new Int32Array(firstPlaces);
  /** Of texts: the offset after the last byte. -1 where there is no value. */
  ends = new Int32Array(firstPlaces);
  /** Of numbers and times; of booleans 0 or 1; of lists their index in `lists`. */
  numbers = new Float64Array(firstPlaces);
  lists: (readonly string[])[] = [];
  /** The number of places in use. */
  length = 0;

  clear(): void {
    this.length = 0;
    this.lists = [];
  }

  /** Makes room for this many places. */
  reserve(needed: number): void {
    if (needed <= this.starts.length) return;
    const length = Math.max(needed, this.starts.length * 2);
    const { starts, ends, numbers } = this;
    this.starts = new Int32Array(length);
    this.ends = new Int32Array(length);
    this.numbers = new Float64Array(length);
    this.starts.set(starts);
    this.ends.set(ends);
    this.numbers.set(numbers);
  }
}
