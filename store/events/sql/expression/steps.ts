/**
 * The text for the step that a value is on: below boundary 0 is step 0, from
 * the last one on the last. Boundaries ascend. A tree, so that a value is
 * compared a few times only however many steps there are; null stays null when
 * `value` is asked for it.
 */
export function intoSteps(
  value: string,
  boundaries: readonly string[],
  text: (step: number) => string,
): string {
  const tree = (low: number, high: number): string => {
    if (low === high) return text(low);
    const middle = (low + high) >> 1;
    const [below, above] = [tree(low, middle), tree(middle + 1, high)];
    return below === above
      ? below
      : `CASE WHEN ${value} < ${boundaries[middle]} THEN ${below} ELSE ${above} END`;
  };
  return tree(0, boundaries.length);
}
