import { describe, expect, it } from "vitest";
import { createVerdicts } from "../../../services/event/verdicts.ts";
import { emptySchema, type ProjectSchema, type PropertyType } from "../../../store/events/events.ts";
import { droppedOf, event, nowMs, user, valuesOf } from "./record/checking.ts";

const project = { id: 1, toInstant: (localMs: number) => localMs, maxProperties: 2 };

function schemaOf(properties: Readonly<Record<string, PropertyType>>): ProjectSchema {
  const all = Object.entries(properties).map(([name, type], at) => ({
    ...({ table: "event", name, number: at + 1, type } as const),
  }));
  return { ...emptySchema, properties: new Map(all.map((one) => [`event:${one.name}`, one])) };
}

describe("verdicts of one call", () => {
  it("keep the types that records before have fixed, until the store has its own", () => {
    let stored = emptySchema;
    const verdicts = createVerdicts(project, () => stored);
    verdicts.check(event({ a: 1, b: "x" }), nowMs);
    expect(droppedOf(verdicts.check(event({ a: "no number" }), nowMs))).toEqual(["a: type"]);
    stored = schemaOf({ a: "text" });
    expect(valuesOf(verdicts.check(event({ a: 7, b: 7 }), nowMs))).toEqual({ a: "7", b: "7" });
  });

  it("tell what is beyond the properties of a project, of which none counts twice", () => {
    let stored = schemaOf({ a: "number" });
    const verdicts = createVerdicts(project, () => stored);
    expect(droppedOf(verdicts.check(event({ a: 1, b: 1, c: 1 }), nowMs))).toEqual(["c: property_limit"]);
    expect(droppedOf(verdicts.check(user("user_set", { c: 1, d: 1, e: 1 }), nowMs))).toEqual([
      "e: property_limit",
    ]);
    stored = schemaOf({ a: "number", b: "number" });
    expect(droppedOf(verdicts.check(event({ a: 1, b: 1, c: 1 }), nowMs))).toEqual(["c: property_limit"]);
    stored = schemaOf({ b: "number" });
    expect(droppedOf(verdicts.check(event({ b: 1, c: 1 }), nowMs))).toEqual([]);
  });
});
