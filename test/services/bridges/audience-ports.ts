import { createEmbeddedEngine } from "../../../services/analysis/embedded/embedded.ts";
import { createUserPort } from "../../../services/analysis/embedded/select-users.ts";
import type { AnalysisPorts, ChannelAudience } from "../../../services/bridges/channel-audience.ts";
import type { UserChoice } from "../../../services/channel/audience/source.ts";
import {
  asyncOf,
  eventOf,
  noonMs,
  noSignal,
  openStore,
  properties,
  userOf,
} from "../../conformance/events/world.ts";
import { createDuckDbWorld } from "../../store/events/duckdb/duckdb-world.ts";
import { projectOf } from "../analysis/describe/described.ts";

const { level, nick, born, badges } = properties;

const project = projectOf({
  cohorts: {
    high: { filts: [{ columnName: "level", tableType: "user", comparator: "greater", ftv: ["5"] }] },
    buyers: { filts: [{ columnName: "#vp@cost", tableType: "user", comparator: "notNull", ftv: [] }] },
  },
  virtualProperties: { cost: { expression: "price * 2" } },
});

/** Only the first has had an event. */
const users = [
  userOf("set", {
    u: 1,
    a: "ada",
    p: { [nick.number]: "p1", [level.number]: 3, [born.number]: noonMs, [badges.number]: ["x"] },
  }),
  userOf("set", { u: 2, a: "bob", p: { [nick.number]: "p2", [level.number]: 9 } }),
  userOf("seen", { u: 3, d: "tab" }),
];

export interface OpenedPorts extends AsyncDisposable {
  readonly ports: AnalysisPorts;
}

/** Opens a project with these users, of whom one is in an imported cohort. */
export async function openPorts(): Promise<OpenedPorts> {
  const opened = await openStore(createDuckDbWorld);
  const { store } = opened;
  await opened.load({ events: [eventOf({ p: { [properties.price.number]: 1 } })], users });
  await store.importCohort(
    { projectId: 1, name: "vip", kind: "cohort", day: "2026-01-01" },
    asyncOf([{ userId: 3n }]),
  );
  const source = { store, project, now: () => noonMs };
  return {
    ports: {
      projects: new Map([[1, { engine: createEmbeddedEngine(source), users: createUserPort(source) }]]),
      schemaOf: (projectId) => store.schema(projectId),
      now: () => noonMs,
    },
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  };
}

/** Returns the nicknames of an audience. */
export async function pushIdsOf(
  source: ChannelAudience,
  choice: UserChoice,
): Promise<(string | undefined)[]> {
  const request = { projectId: 1, choice, pushIdProperty: "nick", properties: [] };
  const found: (string | undefined)[] = [];
  for await (const some of source.users(request, noSignal())) found.push(...some.map(({ pushId }) => pushId));
  return found;
}
