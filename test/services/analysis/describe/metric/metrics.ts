import type { Computation } from "../../../../../services/analysis/describe/metric/operand.ts";

/** A computation as one can read it, with measures by their numbers. */
export function show(computation: Computation): string {
  switch (computation.kind) {
    case "number":
      return String(computation.value);
    case "measure": {
      const { scan, measure } = computation.ref;
      return `${scan}.${measure}${computation.nullIsZero ? "|0" : ""}`;
    }
    case "binary":
      return `(${show(computation.left)} ${computation.operator} ${show(computation.right)})`;
  }
}

export const normal = (analysis: string, quota = "", more: object = {}) => ({
  type: "normal",
  eventName: "pay",
  analysis,
  quota,
  ...more,
});

export const formula = (customEvent: string, more: object = {}) => ({
  type: "customized",
  eventName: "ratio",
  customEvent,
  ...more,
});
