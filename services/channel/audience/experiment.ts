import { hash } from "node:crypto";

export interface Share {
  readonly groupId: string;
  /** Percent. */
  readonly share: number;
}

/** Resolution of shares: a millionth of a percent and finer. */
const points = 2 ** 32;

/**
 * Assigns push ids to the groups of an A/B test: the index of the group, or -1
 * for the control. It goes by a hash of salt and push id alone, so that it is
 * the same in every run, on every replica, and independent of other tasks.
 */
export function compileExperiment(groups: readonly Share[], salt: string): (pushId: string) => number {
  let sum = 0;
  const ends = groups.map(({ share }) => {
    sum += share;
    // Shares such as 33.4 and 66.6 add up to a little less than 100.
    return sum >= 100 - 1e-9 ? points : (sum / 100) * points;
  });
  return (pushId) => {
    const point = hash("sha256", `${salt}\0${pushId}`, "buffer").readUInt32BE(0);
    return ends.findIndex((end) => point < end);
  };
}
