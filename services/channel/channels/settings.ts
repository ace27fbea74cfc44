import { under } from "../../../base/rpc/invalid-fields.ts";
import type { Violation } from "../../../base/rpc/violation.ts";
import type { DeliverySettings, FunnelSetting } from "../../../gen/engage/channel/v1/channel_pb.ts";
import { checkEventName, checkList, checkRepeated, violationOf } from "./names.ts";

interface Range {
  readonly min: number;
  readonly max: number;
  /** A valid value outside the range. */
  readonly also?: number;
  readonly description: string;
}

export const deliveryDefaults = {
  rateLimit: -1,
  batchSize: 100,
  timeoutSeconds: 60,
  retries: 0,
  retryIntervalSeconds: 5,
  strictValidation: true,
} as const;

/** The range of each setting, with its name in code and in the contract. */
export const deliveryRanges: readonly (readonly [
  keyof DeliverySettings & keyof typeof deliveryDefaults,
  string,
  Range,
])[] = [
  [
    "rateLimit",
    "rate_limit",
    { min: 1, max: 10_000, also: -1, description: "-1 for no limit, or 1 to 10000" },
  ],
  ["batchSize", "batch_size", { min: 1, max: 500, description: "1 to 500" }],
  ["timeoutSeconds", "timeout_seconds", { min: 0, max: 3_600, description: "0 for none, or up to 3600" }],
  ["retries", "retries", { min: 0, max: 10, description: "0 to 10" }],
  ["retryIntervalSeconds", "retry_interval_seconds", { min: 0, max: 600, description: "0 to 600" }],
];

export function checkDelivery(settings: DeliverySettings): readonly Violation[] {
  return deliveryRanges.flatMap(([key, field, { min, max, also, description }]) => {
    const value = settings[key];
    if (typeof value !== "number" || value === also || (value >= min && value <= max)) return [];
    return [{ field: `delivery.${field}`, description: `is ${value}, valid are ${description}` }];
  });
}

export const defaultClickEvent = "ops_push_click";
export const defaultConversionHours = 24;
const maxConversionHours = 720;
const maxEvents = 20;

export function checkFunnel(funnel: FunnelSetting): readonly Violation[] {
  const { stepEvents, clickEvent, conversionEvents, conversionWindowHours: hours } = funnel;
  return under("funnel", [
    ...checkEvents("step_events", stepEvents),
    ...violationOf("click_event", clickEvent === "" ? undefined : checkEventName(clickEvent)),
    ...checkEvents("conversion_events", conversionEvents),
    ...(hours === undefined || (hours >= 1 && hours <= maxConversionHours)
      ? []
      : [
          {
            field: "conversion_window_hours",
            description: `is ${hours}, valid are 1 to ${maxConversionHours}`,
          },
        ]),
  ]);
}

function checkEvents(field: string, names: readonly string[]): readonly Violation[] {
  return checkList(field, names, maxEvents, () => [
    ...names.flatMap((name, i) => violationOf(`${field}[${i}]`, checkEventName(name))),
    ...checkRepeated(names, (i) => `${field}[${i}]`),
  ]);
}
