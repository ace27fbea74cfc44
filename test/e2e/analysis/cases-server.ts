import { openAnalysisServer } from "./analysis-server.ts";

export type Body = Readonly<Record<string, unknown>>;

export const analyze = "/open/event-analyze";
export const listUsers = "/open/event-user-list";

const ids = [3, 6, 10, 12, 41, 46, 87, 377];
const projects = Object.fromEntries(ids.map((id) => [id, {}]));
const noon = (day: string) => Date.parse(`${day}T12:00:00Z`);
export const openCases = (day = "2025-12-29") => openAnalysisServer(projects, noon(day));

/** Logins with the brands, cities and shops that the real bodies name, so that results contain numbers. */
export const login = (account: string, day: string, properties: object) => ({
  "#type": "track",
  "#event_name": "login",
  "#account_id": account,
  "#time": `${day} 10:00:00`,
  properties,
});
