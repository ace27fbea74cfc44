import type { Served } from "./served.ts";

/** The token with which tests query besides the console. */
export const token = "token-of-the-console-suite";

/** Lines of the configuration that name the token. */
export const withToken = `analysis: { tokens: [{ name: suite, token: ${token}, projects: "*" }] }\n`;

const dayMs = 86_400_000;

/** Returns the day in UTC, the zone of project 1, that is this many days before today. */
export function dayBefore(days: number): string {
  return new Date(Date.now() - days * dayMs).toISOString().slice(0, 10);
}

/** Returns the time in UTC this many seconds ago, as records have it. */
export function timeBefore(seconds: number): string {
  return new Date(Date.now() - seconds * 1_000).toISOString().slice(0, 19).replace("T", " ");
}

/** A record in the form that SDKs send. */
export type SentRecord = Readonly<Record<string, unknown>>;

/** Returns logins and payments of some users over two weeks, of which no two are alike. */
export function someRecords(): readonly SentRecord[] {
  const cities = ["Berlin", "Paris", '=HYPERLINK("x")'];
  return Array.from({ length: 14 }, (_, day) => day).flatMap((day) =>
    Array.from({ length: 3 + (((day * 5) % 13) % 7) }, (_, user) => user).flatMap((user) => {
      const of = { "#account_id": `user-${user}`, "#time": `${dayBefore(day)} 00:0${user % 10}:00` };
      const city = cities[user % cities.length];
      const login = { ...of, "#type": "track", "#event_name": "login", properties: { city, level: user } };
      const pay = {
        ...of,
        "#type": "track",
        "#event_name": "pay",
        properties: { price: 1.5 * (user + 1), order: `9007199254740${993 + user}` },
      };
      return user % 2 === 0 ? [login, pay] : [login];
    }),
  );
}

/** Names each user, one by a text that a spreadsheet would run. */
export function someUsers(): readonly SentRecord[] {
  return Array.from({ length: 9 }, (_, user) => ({
    "#account_id": `user-${user}`,
    "#time": `${dayBefore(13)} 00:00:00`,
    "#type": "user_set",
    properties: { note: user === 1 ? "=1+1" : `note ${user}` },
  }));
}

/** Sends JSON to the server at the URL. */
export function post(
  url: string,
  path: string,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return fetch(`${url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
}

/** Sends records as an SDK does, and waits until they can be queried. */
export async function sendRecords({ url }: Served, records: readonly SentRecord[]): Promise<void> {
  const response = await post(url, "/sync_json", records, { appid: "app" });
  const text = await response.text();
  if (response.status !== 200 || !text.includes('"code":0')) throw new Error(text);
  for (;;) {
    const answer = await fetch(`${url}/metrics`);
    const [, loaded = "0"] =
      /^engage_events_loaded_records_total\{kind="event"\} (\d+)/m.exec(await answer.text()) ?? [];
    if (Number(loaded) >= records.filter((one) => one["#type"] === "track").length) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Calls the analysis API as other clients do. */
export async function analyze(
  { url }: Served,
  path: string,
  query: string,
): Promise<Readonly<Record<string, unknown>>> {
  const response = await fetch(`${url}/open/${path}?token=${token}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: query,
  });
  const { data, return_message: message } = (await response.json()) as {
    readonly data?: Readonly<Record<string, unknown>>;
    readonly return_message: string;
  };
  if (data === undefined) throw new Error(message);
  return data;
}
