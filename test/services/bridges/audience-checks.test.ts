import { create } from "@bufbuild/protobuf";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Comparator } from "../../../gen/engage/analysis/v1/filter_pb.ts";
import { AudienceSchema } from "../../../gen/engage/channel/v1/task_pb.ts";
import { type AnalysisPorts, createChannelAudience } from "../../../services/bridges/channel-audience.ts";
import type { UserChoice } from "../../../services/channel/audience/source.ts";
import { noSignal } from "../../conformance/events/world.ts";
import { type OpenedPorts, openPorts, pushIdsOf } from "./audience-ports.ts";
import { analysisOf, cohortOf, filter, outOf, usersOf } from "./user-choices.ts";

describe("users of audiences", () => {
  let opened: OpenedPorts;
  let ports: AnalysisPorts;
  beforeAll(async () => {
    opened = await openPorts();
    ({ ports } = opened);
  });
  afterAll(() => opened[Symbol.asyncDispose]());

  it.each<[string, string, UserChoice, string]>([
    [
      "a cohort",
      "cohort",
      cohortOf("vpi"),
      '"vpi" is not known as a cohort or tag, the nearest is "vip", valid are "high", "buyers", "vip"',
    ],
    [
      "a cohort of a day before its first",
      "cohort",
      cohortOf("vip", "2025-01-01"),
      '"2025-01-01" is not known as a version of "vip", valid are "2026-01-01"',
    ],
    [
      "those outside of a cohort",
      "users.filts[0].column_name",
      usersOf([outOf("vpi")]),
      '"vpi" is not known as a cohort or tag',
    ],
    [
      "those of a number",
      "analysis.event_view.filts[0].column_name",
      analysisOf([outOf("vpi")]),
      '"vpi" is not known as a cohort or tag',
    ],
    [
      "those of a group that does not exist",
      "analysis.slice_group_val",
      analysisOf([], { sliceGroupVal: [{ value: { case: "label", value: "zzz" } }] }),
      "must have 0 labels, not 1",
    ],
    [
      "those of a day that does not exist",
      "analysis.slice_date",
      analysisOf([], { sliceDate: "x" }),
      '"x" must be',
    ],
  ])(
    "are refused, and not nobody or everybody, by a name that is not there: %s",
    async (_what, field, source, text) => {
      const found = createChannelAudience(ports);
      const problem = expect.stringContaining(text);
      await expect(pushIdsOf(found, source)).rejects.toMatchObject({
        violations: [{ field: `audience.${field}`, description: problem }],
      });
      const audience = create(AudienceSchema, { source });
      expect(await found.checkAudience(1n, audience, noSignal())).toMatchObject({
        violations: [{ field, description: problem }],
      });
    },
  );

  it.each<[string, UserChoice, string]>([
    ["users.filts[0].ftv", usersOf([filter("level", Comparator.GREATER, [])]), "must have 1 literal"],
    [
      "users.filts[0].comparator",
      usersOf([filter("badges", Comparator.GREATER, ["1"])]),
      "does not apply to a list column",
    ],
    ["cohort", cohortOf("vip", "2026-02-30"), "must be an existing day"],
  ])("are checked without being asked for: %s", async (field, source, problem) => {
    const audience = create(AudienceSchema, { source });
    expect(await createChannelAudience(ports).checkAudience(1n, audience, noSignal())).toMatchObject({
      violations: [{ field, description: expect.stringContaining(problem) }],
    });
  });

  it.each<[string, UserChoice, string[]]>([
    ["what everybody has", usersOf([filter("level", Comparator.GREATER, ["1"])]), []],
    [
      "a property that nobody has",
      usersOf([filter("levle", Comparator.GREATER, ["1"])]),
      ['audience.users.filts[0].column_name user property "levle" is not known, it has no values'],
    ],
    [
      "one of a number",
      analysisOf([filter("levle", Comparator.GREATER, ["1"])]),
      ['audience.analysis.event_view.filts[0].column_name user property "levle" is not known'],
    ],
  ])("are warned of by %s", async (_what, source, texts) => {
    const audience = create(AudienceSchema, { source });
    expect(await createChannelAudience(ports).checkAudience(1n, audience, noSignal())).toEqual({
      violations: [],
      warnings: texts.map((text) => expect.stringContaining(text)),
    });
  });
});
