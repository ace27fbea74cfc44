import type { Measure } from "../../../../store/events/events.ts";
import { createStructuralKey, type MeasureSet } from "./measure-set.ts";
import type { OperandEvents } from "./operand.ts";
import { userId } from "./operand-options.ts";

/** How to find out whether an operand has an event in a group of a scan. */
export interface Presence {
  readonly scan: number;
  /** A measure of the scan that is above 0 where there is an event; undefined when every group of the scan has one. */
  readonly measure: number | undefined;
}

/**
 * Adds measures that distinguish the groups of a metric's own events from groups that only other metrics of the same
 * scan have. @param operands of each metric
 */
export function planPresence(
  operands: readonly (readonly OperandEvents[])[],
  book: MeasureSet,
): readonly (readonly Presence[])[] {
  const keyOf = createStructuralKey();
  const baseOf = ({ events, where }: Pick<Measure, "events" | "where">) => keyOf([events ?? "any", where]);
  const bases = new Map<number, Set<string>>();
  for (const operand of operands.flat()) {
    const scan = book.scanOf(operand);
    bases.set(scan, (bases.get(scan) ?? new Set()).add(baseOf(operand)));
  }
  const isAlone = (scan: number, base: string) =>
    bases.get(scan)!.size === 1 && book.scans[scan]!.measures.some((measure) => baseOf(measure) === base);
  const presenceOf = (operand: OperandEvents): Presence => {
    const { events, where } = operand;
    const scan = book.scanOf(operand);
    if (isAlone(scan, baseOf(operand))) return { scan, measure: undefined };
    const users: Measure = { events, where, aggregate: { kind: "distinct", of: userId, as: "value" } };
    return book.find(operand, users) ?? book.add(operand, { events, where, aggregate: { kind: "count" } });
  };
  return operands.map((own) => uniqueBy(own.map(presenceOf), ({ scan, measure }) => `${scan} ${measure}`));
}

function uniqueBy<T>(items: readonly T[], keyOf: (item: T) => string): readonly T[] {
  return [...new Map(items.map((item) => [keyOf(item), item])).values()];
}
