import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ValueFormat } from "../../../gen/engage/analysis/v1/event_metric_pb.ts";
import {
  formatValue,
  intervalLabels,
  type KeyForm,
  keyOf,
  labelOf,
  parseBoundaries,
  readLabel,
  writeLabel,
} from "../../../services/analysis/text-form.ts";

describe("formatValue", () => {
  const { UNSPECIFIED, FLOAT, FLOAT3, FLOAT4, PERCENT, INTEGER } = ValueFormat;
  it.each([
    [0, UNSPECIFIED, "0"],
    [-0, UNSPECIFIED, "0"],
    [120, UNSPECIFIED, "120"],
    [-3, UNSPECIFIED, "-3"],
    [1.5, UNSPECIFIED, "1.5"],
    [1.005, UNSPECIFIED, "1.01"],
    [-1.005, UNSPECIFIED, "-1.01"],
    [2.675, UNSPECIFIED, "2.68"],
    [0.004, UNSPECIFIED, "0"],
    [-0.004, UNSPECIFIED, "0"],
    [0.005, UNSPECIFIED, "0.01"],
    [99.999, UNSPECIFIED, "100"],
    [1e21, UNSPECIFIED, "1000000000000000000000"],
    [2 ** 53, UNSPECIFIED, "9007199254740992"],
    [1e-9, UNSPECIFIED, "0"],
    [100, FLOAT, "100.00"],
    [1.5, FLOAT, "1.50"],
    [1.0005, FLOAT3, "1.001"],
    [0.00005, FLOAT4, "0.0001"],
    [0.1234, PERCENT, "12.34%"],
    [0.5, PERCENT, "50%"],
    [1, PERCENT, "100%"],
    [0.00005, PERCENT, "0.01%"],
    [-0.25, PERCENT, "-25%"],
    [0, PERCENT, "0%"],
    [1.5, INTEGER, "2"],
    [-2.5, INTEGER, "-3"],
    [2.4999, INTEGER, "2"],
    [-0.4, INTEGER, "0"],
    [100, INTEGER, "100"],
    [1e21, INTEGER, "1000000000000000000000"],
    [Number.NaN, INTEGER, "-"],
    [Number.NaN, FLOAT, "-"],
    [Number.POSITIVE_INFINITY, UNSPECIFIED, "-"],
  ])("writes %d in format %d as %s", (value, format, text) => {
    expect(formatValue(value, format, { percentAs: "percent" })).toBe(text);
  });

  it.each([
    [0.1234, "0.1234"],
    [0.5, "0.5"],
    [1 / 3, "0.3333"],
  ])("writes the percentage %d as the fraction %s where that is wanted", (value, text) => {
    expect(formatValue(value, PERCENT, { percentAs: "fraction" })).toBe(text);
  });

  it("is never further from the number than half of the last place", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, min: -1e12, max: 1e12 }), (value) => {
        const written = Number(formatValue(value, FLOAT3, { percentAs: "percent" }));
        expect(Math.abs(written - value)).toBeLessThanOrEqual(0.0005 + Math.abs(value) * 1e-15);
      }),
    );
  });
});

describe("labels of groups", () => {
  const intervals: KeyForm = { kind: "intervals", of: "number", boundaries: [10, 20] };

  it.each<[KeyForm, string | number | boolean | null, string | undefined]>([
    [{ kind: "text" }, "(null)", "(null)"],
    [{ kind: "text" }, null, undefined],
    [{ kind: "number" }, 1.5, "1.5"],
    [{ kind: "number" }, 1e21, "1e+21"],
    [{ kind: "boolean" }, false, "false"],
    [{ kind: "time" }, Date.UTC(2026, 7, 23, 1, 2, 3), "2026-08-23 01:02:03"],
    [{ kind: "time" }, Date.UTC(2026, 7, 23, 1, 2, 3, 4), "2026-08-23 01:02:03.004"],
    [intervals, 0, "(-inf,10)"],
    [intervals, 1, "[10,20)"],
    [intervals, 2, "[20,+inf)"],
    [{ kind: "intervals", of: "time", boundaries: [0] }, 1, "[1970-01-01 00:00:00,+inf)"],
  ])("writes with %j the value %j as %j", (form, value, label) => {
    expect(labelOf(form, value)).toBe(label);
  });

  it.each([
    [undefined, "(null)"],
    ["(null)", "\\(null)"],
    ["\\(null)", "\\\\(null)"],
    ["a(null)", "a(null)"],
    ["\\", "\\"],
  ])("writes %j among texts as %j, and reads it so", (label, text) => {
    expect([writeLabel(label), readLabel(text)]).toEqual([text, label]);
  });

  it("has a text of its own for each", () => {
    const label = fc.oneof(fc.string(), fc.stringMatching(/^\\{0,3}\(null\)\\?$/), fc.constant(undefined));
    fc.assert(
      fc.property(label, (one) => {
        expect(readLabel(writeLabel(one))).toBe(one);
      }),
    );
  });

  const time = fc.integer({ min: Date.UTC(1000, 0), max: Date.UTC(9999, 11) });
  const forms = fc.oneof(
    fc.record({ form: fc.constant<KeyForm>({ kind: "text" }), value: fc.string() }),
    fc.record({
      form: fc.constant<KeyForm>({ kind: "number" }),
      value: fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
    }),
    fc.record({ form: fc.constant<KeyForm>({ kind: "boolean" }), value: fc.boolean() }),
    fc.record({ form: fc.constant<KeyForm>({ kind: "time" }), value: time }),
    fc
      .tuple(fc.uniqueArray(fc.double({ noNaN: true, noDefaultInfinity: true }), { minLength: 1 }), fc.nat())
      .map(([numbers, at]) => ({
        form: {
          kind: "intervals",
          of: "number",
          boundaries: numbers.map((number) => number + 0).sort((a, b) => a - b),
        } satisfies KeyForm,
        value: at % (numbers.length + 1),
      })),
  );

  it("are read back as the value they stand for", () => {
    fc.assert(
      fc.property(forms, ({ form, value }) => {
        expect(keyOf(form, labelOf(form, value)!)).toBe(value);
      }),
    );
  });

  it.each([2 ** 53, 20_654_967_279_127_070, 1.5e20, 1.2345e25, 1.797e308])(
    "are read back as the large number %d",
    (value) => {
      expect(keyOf({ kind: "number" }, labelOf({ kind: "number" }, value)!)).toBe(value);
    },
  );

  it.each<[KeyForm, string]>([
    [{ kind: "number" }, "9007199254740993"],
    [{ kind: "number" }, " 1"],
    [{ kind: "number" }, "many"],
    [{ kind: "number" }, "NaN"],
    [{ kind: "number" }, ""],
    [{ kind: "boolean" }, "TRUE"],
    [{ kind: "time" }, "2026-02-30 00:00:00"],
    [intervals, "[10,21)"],
  ])("are refused: with %j the label %j", (form, label) => {
    expect(keyOf(form, label)).toBeUndefined();
  });

  it("are as many as intervals", () => {
    expect(intervalLabels({ kind: "intervals", of: "number", boundaries: [] })).toEqual(["(-inf,+inf)"]);
  });
});

describe("parseBoundaries", () => {
  it.each([
    ["10,20", "number", [10, 20]],
    ["10, 20.5", "number", [10, 20.5]],
    ["1 0,20", "number", undefined],
    ["10,,20", "number", undefined],
    ["2026-01-01,2026-01-02 10:00:00", "time", [Date.UTC(2026, 0, 1), Date.UTC(2026, 0, 2, 10)]],
    ["2026-02-30", "time", undefined],
  ] as const)("reads %j of a %s as %j", (text, of, boundaries) => {
    expect(parseBoundaries(text, of)).toEqual(boundaries);
  });
});
