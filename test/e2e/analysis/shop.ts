import { type AnalysisServer, openAnalysisServer } from "./analysis-server.ts";

const bought = (account: string, day: string, price: number) => ({
  "#type": "track",
  "#event_name": "buy",
  "#account_id": account,
  "#distinct_id": `device-${account}`,
  "#time": `${day} 10:00:00`,
  properties: { price },
});
const user = (account: string, properties: object) => ({
  "#type": "user_set",
  "#account_id": account,
  "#time": "2026-01-01 09:00:00",
  properties,
});

/** Ann has bought on two days, Bob on the second of them. */
export const shopRecords = [
  user("ann", { city: "Köln", vip: 3 }),
  user("bob", { city: "Berlin", vip: 1 }),
  bought("ann", "2026-01-01", 10),
  bought("ann", "2026-01-02", 2.5),
  bought("bob", "2026-01-02", 4),
];
export const shopEvents = 3;

/** A server with an empty project 1, whose today is the third of January 2026. */
export function openEmptyShop(): Promise<AnalysisServer> {
  return openAnalysisServer({ 1: {} }, Date.parse("2026-01-03T12:00:00Z"));
}

/** The same with the records of the shop. */
export async function openShop(): Promise<AnalysisServer> {
  const server = await openEmptyShop();
  await server.report(1, shopRecords);
  await server.counted(1, shopEvents);
  return server;
}
