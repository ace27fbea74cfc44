import type { DescField } from "@bufbuild/protobuf";
import { limitsOf, rangeOf } from "../../../base/protobuf/limits.ts";
import { under } from "../../../base/rpc/invalid-fields.ts";
import type { Violation } from "../../../base/rpc/violation.ts";
import {
  type DeliverySettings,
  DeliverySettingsSchema,
  type FunnelSetting,
  FunnelSettingSchema,
} from "../../../gen/engage/channel/v1/channel_pb.ts";
import { checkEventName, checkList, checkRepeated, violationOf } from "./names.ts";

interface Range {
  readonly min: number;
  readonly max: number;
  /** A valid value outside the range. */
  readonly also?: number;
  readonly description: string;
}

const settings = DeliverySettingsSchema.field;

function defaultOf(field: DescField): number {
  return Number(limitsOf(field).defaultValue);
}

export const deliveryDefaults = {
  rateLimit: defaultOf(settings.rateLimit),
  batchSize: defaultOf(settings.batchSize),
  timeoutSeconds: defaultOf(settings.timeoutSeconds),
  retries: defaultOf(settings.retries),
  retryIntervalSeconds: defaultOf(settings.retryIntervalSeconds),
  strictValidation: limitsOf(settings.strictValidation).defaultValue === "true",
} as const;

type NumberSetting = Exclude<keyof typeof deliveryDefaults, "strictValidation">;

/** The words for the ranges of settings with a value of a special meaning. */
const special: Readonly<Partial<Record<NumberSetting, (range: Pick<Range, "min" | "max">) => string>>> = {
  rateLimit: ({ min, max }) => `-1 for no limit, or ${min} to ${max}`,
  timeoutSeconds: ({ min, max }) => `${min} for none, or up to ${max}`,
};

const numberSettings: readonly NumberSetting[] = [
  "rateLimit",
  "batchSize",
  "timeoutSeconds",
  "retries",
  "retryIntervalSeconds",
];

/** The range of each setting, with its name in code and in the contract. */
export const deliveryRanges: readonly (readonly [NumberSetting, string, Range])[] = numberSettings.map(
  (key) => {
    const field = settings[key];
    const range = rangeOf(field);
    const { also } = limitsOf(field);
    const description = special[key]?.(range) ?? `${range.min} to ${range.max}`;
    return [key, field.name, { ...range, ...(also !== undefined && { also }), description }];
  },
);

export function checkDelivery(settings: DeliverySettings): readonly Violation[] {
  return deliveryRanges.flatMap(([key, field, { min, max, also, description }]) => {
    const value = settings[key];
    if (typeof value !== "number" || value === also || (value >= min && value <= max)) return [];
    return [{ field: `delivery.${field}`, description: `is ${value}, valid are ${description}` }];
  });
}

const {
  stepEvents: stepField,
  clickEvent: clickField,
  conversionEvents: conversionField,
} = FunnelSettingSchema.field;
const hoursField = FunnelSettingSchema.field.conversionWindowHours;
export const defaultClickEvent: string = limitsOf(clickField).defaultValue;
export const defaultConversionHours: number = defaultOf(hoursField);
const conversionHours = rangeOf(hoursField);

export function checkFunnel(funnel: FunnelSetting): readonly Violation[] {
  const { stepEvents, clickEvent, conversionEvents, conversionWindowHours: hours } = funnel;
  return under("funnel", [
    ...checkEvents(stepField, stepEvents),
    ...violationOf("click_event", clickEvent === "" ? undefined : checkEventName(clickEvent)),
    ...checkEvents(conversionField, conversionEvents),
    ...(hours === undefined || (hours >= conversionHours.min && hours <= conversionHours.max)
      ? []
      : [
          {
            field: "conversion_window_hours",
            description: `is ${hours}, valid are ${conversionHours.min} to ${conversionHours.max}`,
          },
        ]),
  ]);
}

function checkEvents(desc: DescField, names: readonly string[]): readonly Violation[] {
  const { name: field } = desc;
  return checkList(field, names, limitsOf(desc).maxItems, () => [
    ...names.flatMap((name, i) => violationOf(`${field}[${i}]`, checkEventName(name))),
    ...checkRepeated(names, (i) => `${field}[${i}]`),
  ]);
}
