import { join } from "node:path";
import type { EventName, Property } from "../../store/events/events.ts";

/** The generated events are a month of a game with a shop. */
export const projectId = 1;
export const firstDayMs = Date.UTC(2026, 0, 1);
export const days = 30;
export const dayMs = 86_400_000;
export const users = 200_000;
/** The id of the first user. */
export const firstUser = 1_000_001;

/** Event names with their shares of all events. */
export const eventShares: readonly (readonly [name: string, share: number])[] = [
  ["login", 0.2],
  ["view", 0.3],
  ["click", 0.15],
  ["purchase", 0.1],
  ["logout", 0.08],
  ["level_up", 0.04],
  ["share", 0.03],
  ["chat", 0.05],
  ["quest", 0.03],
  ["battle", 0.02],
];

export const events: readonly EventName[] = eventShares.map(([name], index) => ({ name, number: index + 1 }));

export function eventNumber(name: string): number {
  return events.find((event) => event.name === name)!.number;
}

const eventProperty = (number: number, name: string, type: Property["type"]) =>
  ({ table: "event", number, name, type }) as const;
const userProperty = (number: number, name: string, type: Property["type"]) =>
  ({ table: "user", number, name, type }) as const;

export const properties = {
  city: eventProperty(1, "city", "text"),
  channel: eventProperty(2, "channel", "text"),
  server: eventProperty(3, "server", "text"),
  device: eventProperty(4, "device", "text"),
  version: eventProperty(5, "version", "text"),
  level: eventProperty(6, "level", "number"),
  price: eventProperty(7, "price", "number"),
  duration: eventProperty(8, "duration", "number"),
  vip: eventProperty(9, "vip", "boolean"),
  items: eventProperty(10, "items", "list"),
  registered: eventProperty(11, "registered", "time"),
  score: eventProperty(12, "score", "number"),
  country: userProperty(13, "country", "text"),
  spent: userProperty(14, "spent", "number"),
} as const satisfies Record<string, Property>;

/** SQL for the value of each property of event `e` and user number `n`, with random `a` … `d` from 0 to 1. */
export const eventValues: Readonly<Record<string, string>> = {
  city: "'city_' || CASE WHEN a < 0.9 THEN hash(n) % 40 ELSE floor(b * 40)::INTEGER END",
  channel: "'channel_' || hash(n + 7) % 8",
  server: "'server_' || floor(pow(c, 1.3) * 1000)::INTEGER",
  device: "'device_' || hash(n + 3) % 300",
  version: "'v1.' || floor(b * 12)::INTEGER",
  level: "1 + floor(d * 60)",
  price: `CASE WHEN e = ${eventNumber("purchase")} THEN round(exp(a * 5) * 100) / 100 END`,
  duration: `CASE WHEN e IN (${eventNumber("view")}, ${eventNumber("logout")}) THEN round(-ln(1 - b) * 120, 3) END`,
  vip: "hash(n + 11) % 10 = 0",
  items: `CASE WHEN e IN (${eventNumber("purchase")}, ${eventNumber("battle")})
    THEN ['item_' || floor(b * 100)::INTEGER, 'item_' || floor(c * 100)::INTEGER, 'item_' || floor(d * 100)::INTEGER] END`,
  registered: `${firstDayMs} - (hash(n + 13) % 8640000000)::BIGINT`,
  score: "floor(c * 10000) / 10",
};

export const userValues: Readonly<Record<string, string>> = {
  country: "'country_' || hash(n + 17) % 30",
  spent: "(hash(n + 19) % 10000) / 10",
};

/** The store options of a server with this data folder. */
export const storeOptions = (folder: string) => ({
  folder: join(folder, "events", "store"),
  stagingFolder: join(folder, "events", "staging"),
  memoryLimitBytes: 4 * 1024 ** 3,
  maxTempBytes: 4 * 1024 ** 3,
  threads: 2,
});
