import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { TableType } from "../../../gen/engage/analysis/v1/column_pb.ts";
import { Aggregation, MetricType } from "../../../gen/engage/analysis/v1/event_metric_pb.ts";
import { TimeParticleSize } from "../../../gen/engage/analysis/v1/event_view_pb.ts";
import {
  Comparator,
  type Filter,
  FilterSchema,
  Relation,
} from "../../../gen/engage/analysis/v1/filter_pb.ts";
import { EventUserQuerySchema } from "../../../gen/engage/analysis/v1/query_pb.ts";
import { CohortSchema, UserFilterSchema } from "../../../gen/engage/channel/v1/task_pb.ts";
import type { UserChoice } from "../../../services/channel/audience/source.ts";

export const filter = (
  columnName: string,
  comparator: Comparator,
  ftv: string[],
  tableType: TableType = TableType.USER,
): Filter => create(FilterSchema, { columnName, tableType, comparator, ftv });
export const usersOf = (filts: Filter[], relation: Relation = Relation.AND): UserChoice => ({
  case: "users",
  value: create(UserFilterSchema, { filts, relation }),
});
export const cohortOf = (name: string, day = ""): UserChoice => ({
  case: "cohort",
  value: create(CohortSchema, { name, day }),
});
export const outOf = (name: string) => filter(name, Comparator.NOT_BELONG_TO_CLUSTER, [], TableType.CLUSTER);
export const analysisOf = (
  filts: Filter[],
  slice: Pick<MessageInitShape<typeof EventUserQuerySchema>, "sliceDate" | "sliceGroupVal"> = {},
): UserChoice => ({
  case: "analysis",
  value: create(EventUserQuerySchema, {
    eventView: { filts, timeParticleSize: TimeParticleSize.TOTAL, recentDay: "0-7" },
    events: [{ type: MetricType.NORMAL, eventName: "anyEvent", analysis: Aggregation.TRIG_USER_NUM }],
    eventIndex: 0,
    ...slice,
  }),
});
