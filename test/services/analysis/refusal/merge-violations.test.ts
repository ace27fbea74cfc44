import { expect, it } from "vitest";
import { mergeViolations } from "../../../../services/analysis/refusal/merge-violations.ts";

const faults = (...fields: readonly string[]) => fields.map((field) => ({ field, description: "is bad" }));

it.each<[form: string, meaning: string, isReported: boolean]>([
  ["limit", "zoneOffset", true],
  ["limit", "limit", false],
  ["body", "eventView", false],
  ["eventView", "eventView.startTime", false],
  ["eventView", "events", true],
  ["eventView.timeParticleSize", "eventView.startTime", true],
  ["eventView.recentDay", "eventView.startTime", false],
  ["eventView.comparedRecentDay", "eventView.startTime", true],
  ["eventView.filts[0].ftv[1]", "eventView.filts[0].ftv", false],
  ["eventView.filts[0].ftv[1]", "eventView.filts[0].ftv[0]", true],
  ["eventView.filts[0].comparator", "eventView.filts[1].comparator", true],
  ["eventView.filts[0].filterType", "eventView.filts[0].filts", false],
  ["eventView.filts[0].filterType", "eventView.filts[1].filts", true],
  ["eventView.groupBy[1].propertyRangeType", "eventView.groupBy[1].propertyRange", false],
  ["eventView.groupBy", "sliceGroupVal", false],
  ["events[1]", "events[1].eventName", false],
  ["events[1]", "events[10].eventName", true],
  ["events", "eventIndex", false],
  ["events[0].metricName", 'events[0].metricName (metric "dau").quota', false],
])("with a fault of %s one of %s is reported: %s", (form, meaning, isReported) => {
  const joined = mergeViolations(faults(form), faults(meaning)).map(({ field }) => field);
  expect(joined).toEqual(isReported ? [form, meaning] : [form]);
});
