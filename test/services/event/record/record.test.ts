import { describe, expect, it } from "vitest";
import { check, droppedOf, readCase, valuesOf } from "./checking.ts";

const in2017 = Date.UTC(2017, 11, 19);
const in2020 = Date.UTC(2020, 8, 2);
const in2023 = Date.UTC(2023, 3, 17);

describe("handed cases", () => {
  it("t001: an event", () => {
    const checked = check(readCase("t001_rules_track.json"), {}, in2017);
    expect(checked).toMatchObject({
      kind: "event",
      name: "test",
      timeMs: Date.UTC(2017, 11, 18, 14, 37, 28, 527),
      accountId: "ABCDEFG-123-abc",
      distinctId: "F53A58ED-E5DA-4F18-B082-7E1228746E88",
      uuid: "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx",
      dropped: [],
    });
    expect(valuesOf(checked)).toEqual({
      "#ip": "192.168.171.111",
      argstring: "abc",
      argnum: 123,
      argbool: true,
    });
  });

  it("t003: two updates of one event", () => {
    const records = readCase("t003_track_update_pair.json") as unknown[];
    const update = {
      kind: "update",
      mode: "update",
      name: "ad_cost",
      eventId: "2020-09-01_net_7-Tier1-0527_adset1_adname1",
    };
    expect(records.map((record) => check(record, {}, in2020))).toMatchObject([update, update]);
  });

  it("t004: an event that counts once", () => {
    const checked = check(readCase("t004_first_check.json"), {}, in2017);
    expect(checked).toMatchObject({ kind: "event", firstCheckId: "device_id_123456", accountId: undefined });
  });

  it("t005: the events of the sequence of identities", () => {
    const steps = readCase("t005_identity_sequence.json") as { record: unknown }[];
    expect(steps.map(({ record }) => check(record).kind)).toEqual(steps.map(() => "event"));
  });

  it("t007: what the Node SDK sends", () => {
    const { body } = readCase("t007_node_sdk_batch.json") as { body: unknown[] };
    const [event, user] = body.map((record) => check(record));
    expect(valuesOf(event!)).toEqual({
      "#ip": "203.0.113.1",
      "#lib": "node",
      "#lib_version": "1.5.0",
      prop_double: 134.1,
    });
    expect(user).toMatchObject({ kind: "user", operation: "set" });
    expect(valuesOf(user!)).toEqual({
      prop_date: Date.UTC(2026, 0, 2, 3, 4, 5, 679),
      prop_double: 134.12,
      prop_string: "hello",
      prop_int: 666,
      prop_array: ["str1", "str2"],
    });
  });

  it("t008: operations on users", () => {
    const known = { "user:set_once_property": "text" } as const;
    const checked = (readCase("t008_user_ops.json") as unknown[]).map((record) => check(record, known));
    expect(checked.map((one) => [(one as { operation?: string }).operation, valuesOf(one)])).toEqual([
      ["setOnce", { setonceproperty: "set_once" }],
      ["add", { prop_double: 0.6, prop_int: -222 }],
      ["append", { prop_array: ["str3", "str4"] }],
      ["uniqAppend", { prop_array: ["str3", "str4"] }],
      ["unset", { set_once_property: null }],
      ["del", {}],
    ]);
  });

  it("t010: a time with its zone", () => {
    const { record } = readCase("t010_zone_offset_shift.json") as { record: unknown };
    expect(check(record, {}, in2023)).toMatchObject({ timeMs: Date.UTC(2023, 3, 17, 1, 2, 3) });
  });

  it("t011: misplaced keys are named, the record is kept", () => {
    const checked = check(readCase("t011_preset_at_root_wrong.json"));
    expect(droppedOf(checked)).toEqual(["#os: root_key", "#country: root_key"]);
    expect(valuesOf(checked)).toEqual({ price: 1 });
  });

  it("t012: what breaks a rule is named", () => {
    const verdicts = (readCase("t012_bad_names.json") as unknown[]).map((record) => check(record));
    expect(verdicts.map((one) => (one.kind === "refused" ? one.reason : one.kind))).toEqual([
      "event_name",
      "event_name",
      "event_name",
      "property_name",
      "no_id",
      "type",
      "time_format",
      "event",
    ]);
    expect(verdicts[3]).toMatchObject({ field: "properties.价格" });
    expect(verdicts[0]).toMatchObject({
      field: "#event_name",
      message:
        '#event_name "purchase complete" is not valid, valid is a letter followed by at most 49 letters, digits and underscores',
    });
  });
});
