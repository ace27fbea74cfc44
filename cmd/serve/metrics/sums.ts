import type { Registry } from "prom-client";
import { registerComputed } from "../../../gateway/metrics/computed-metric.ts";

/** A counter of what every call adds to. */
export interface Sums {
  /** @param values of the labels, in their order */
  add(amount: number, ...values: readonly string[]): void;
}

interface SumsOptions {
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly string[];
}

/**
 * Plain sums by the values of their labels, which prom-client sees at a scrape.
 * Its own counters cost a small call some percent.
 */
export function createSums(registry: Registry, { name, help, labels = [] }: SumsOptions): Sums {
  const sums = new Map<string, { readonly values: readonly string[]; sum: number }>();
  const add: Sums["add"] = (amount, ...values) => {
    const key = values.length === 1 ? values[0]! : values.join("\n");
    const known = sums.get(key);
    if (known === undefined) sums.set(key, { values, sum: amount });
    else known.sum += amount;
  };
  if (labels.length === 0) add(0);
  registerComputed(registry, {
    name,
    help,
    type: "counter",
    samples: () =>
      Array.from(sums.values(), ({ values, sum }) => ({
        labels: Object.fromEntries(labels.map((label, i) => [label, values[i]!])),
        value: sum,
      })),
  });
  return { add };
}
