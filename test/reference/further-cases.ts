import { filterCases } from "./further-cases/filters.ts";
import { groupCases } from "./further-cases/groups.ts";
import { metricCases } from "./further-cases/metrics.ts";
import { timeCases } from "./further-cases/times.ts";
import { userListCases } from "./further-cases/user-lists.ts";
import type { OracleCase } from "./oracle-cases.ts";

/** Further cases in the form of the oracle's, computed by hand. */
export const furtherCases: readonly OracleCase[] = [
  ...metricCases,
  ...timeCases,
  ...groupCases,
  ...filterCases,
  ...userListCases,
];
