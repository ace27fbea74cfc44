/**
 * Compiles the choice of a step by value: step 0 is below boundary 0, the last step starts at the last
 * boundary. Boundaries ascend. The SQL is a tree, so a value is compared a few times only, however many
 * steps there are. Null stays null when the step's SQL contains `value`.
 */
export function compileSteps(
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
