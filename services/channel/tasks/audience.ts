import { limitsOf } from "../../../base/protobuf/limits.ts";
import { eachViolation, under } from "../../../base/rpc/invalid-fields.ts";
import type { Violation } from "../../../base/rpc/violation.ts";
import { checkLine } from "../../../base/text/check-text.ts";
import { quoteText } from "../../../base/text/quote.ts";
import { TableType } from "../../../gen/engage/analysis/v1/column_pb.ts";
import { type Filter, FilterType } from "../../../gen/engage/analysis/v1/filter_pb.ts";
import { type Audience, CohortSchema, PushIdListSchema } from "../../../gen/engage/channel/v1/task_pb.ts";
import { isDate } from "../channels/input-methods.ts";
import { violationOf } from "../channels/names.ts";

const { maxLength: maxPushIdLength } = limitsOf(PushIdListSchema.field.pushIds);
const { maxLength: maxCohortName } = limitsOf(CohortSchema.field.name);

/** Checks the form of an audience. Fields are relative to the audience. */
export function checkAudienceForm(audience: Audience, projectId: bigint): readonly Violation[] {
  const { source } = audience;
  switch (source.case) {
    case undefined:
      return [
        { field: "source", description: "is required, valid are push_ids, users, analysis and cohort" },
      ];
    case "pushIds":
      return checkPushIds(source.value.pushIds);
    case "users":
      return eachViolation(source.value.filts, (filter, i) =>
        under(`users.filts[${i}]`, checkColumns(filter)),
      );
    case "analysis":
      return source.value.projectId === projectId
        ? []
        : [
            {
              field: "analysis.project_id",
              description: `is ${source.value.projectId}, valid is ${projectId}`,
            },
          ];
    case "cohort": {
      const { name, day } = source.value;
      return [
        ...violationOf("cohort.name", name === "" ? "is required" : checkLine(name, maxCohortName)),
        ...violationOf(
          "cohort.day",
          day === "" || isDate(day) ? undefined : `is ${quoteText(day)}, valid are days such as 2026-01-31`,
        ),
      ];
    }
  }
}

/** Refuses conditions on events, which need the source `analysis`. */
function checkColumns({ tableType, filterType, filts }: Filter): readonly Violation[] {
  if (filterType === FilterType.COMPOUND) {
    return eachViolation(filts, (filter, i) => under(`filts[${i}]`, checkColumns(filter)));
  }
  if (tableType !== TableType.EVENT) return [];
  return [{ field: "table_type", description: "is event, valid are user and cluster" }];
}

/** Checks push ids. Empty ones are valid: they are counted as filtered, like those of users. */
function checkPushIds(pushIds: readonly string[]): readonly Violation[] {
  if (pushIds.length === 0) return [{ field: "push_ids", description: "is empty" }];
  const index = pushIds.findIndex((pushId) => pushId.length > maxPushIdLength);
  if (index === -1) return [];
  const problem = `has ${pushIds[index]!.length} characters, at most ${maxPushIdLength} are valid`;
  return [{ field: `push_ids.push_ids[${index}]`, description: problem }];
}
