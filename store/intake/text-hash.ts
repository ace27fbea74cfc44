/** 64 bits in two halves: a text of a project. */
export interface HashHalves {
  low: number;
  high: number;
}

/**
 * Mixes a text into 64 bits, each half by multipliers of its own. Of ten
 * million different texts two are the same with a chance of 1 in 370,000.
 * @param into is overwritten, so that nothing is allocated
 */
export function hashText(seed: number, text: string, into: HashHalves): void {
  let low = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) | 0;
  let high = Math.imul(seed ^ 0x7f4a7c15, 0xc2b2ae35) | 0;
  const { length } = text;
  for (let at = 0; at < length; at++) {
    const code = text.charCodeAt(at);
    low = Math.imul(low ^ code, 0x2c1b3c6d);
    low = (low << 13) | (low >>> 19);
    high = Math.imul(high ^ code, 0x297a2d39);
    high = (high << 17) | (high >>> 15);
  }
  into.low = finish(low ^ Math.imul(high, 0x45d9f3b5) ^ length) >>> 0;
  into.high = finish(high ^ Math.imul(low, 0x119de1f3)) >>> 0;
}

/** Lets each bit of the input change half of the output. */
function finish(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}
