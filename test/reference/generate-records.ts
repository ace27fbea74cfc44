import { dayMs, formatMilli, formatSecond, hourMs, minuteMs } from "./calendar.ts";
import type { ReceivedRecord } from "./ingest.ts";
import type { ReferenceProject } from "./project.ts";
import type { Random } from "./random.ts";
import { toLocal, zoneOf } from "./zone.ts";

/** Where and when the records of a data set happen. */
export interface Scene {
  readonly project: ReferenceProject;
  readonly startMs: number;
  readonly endMs: number;
}

export const channels = [
  "web",
  "app",
  "Wéb",
  "应用",
  "🎮",
  "",
  "a'b",
  'q"x',
  "100%",
  "under_score",
  "b\\s",
  "12.5",
  "(null)",
];
export const cities = ["Berlin", "北京", "São Paulo", "berlin", "-", "New\nYork"];
export const tagTexts = ["x", "y", "z", "Ünï", "x y", "10", "é", "é"];
export const itemIds = ["sword", "盾", "potion", "7"];
export const eventNames = ["login", "pay", "Level_up", "View", "a"];

const prices = [0, -0, 1, 2, 3, 7, 10, 10.5, 0.1, 0.2, 0.3, -4, -4.25, 99, 123456.125];
const huge = [1e21, 2 ** 53, 1e12, 1e15 + 0.5, 1e-7, 4294967296];

/** Records in the order in which they come in. */
export function generateRecords(random: Random, scene: Scene, count: number): ReceivedRecord[] {
  const first = settleTypes(scene);
  const times = Array.from({ length: count }, () => momentIn(random, scene)).sort((a, b) => a - b);
  const records: ReceivedRecord[] = [...first];
  for (const time of times) {
    const receivedMs = time + random.few(0, 2 * hourMs);
    records.push({ record: oneRecord(random, scene, time), receivedMs });
    const repeats = random.chance(0.03) && records.at(-1)!.record["#uuid"] !== undefined;
    if (repeats) records.push({ ...records.at(-1)!, receivedMs: receivedMs + random.pick([0, minuteMs]) });
  }
  return records;
}

/** Returns records that fix the types of properties, so that requests can rely on them. */
function settleTypes({ project, startMs }: Scene): ReceivedRecord[] {
  const time = localText(project, startMs + hourMs);
  const ids = { "#account_id": "acc-0", "#distinct_id": "vis-0", "#time": time };
  const event = {
    price: 1.5,
    huge: 1,
    level: 1,
    score: 10,
    channel: "web",
    note: "n",
    vip: true,
    due: "2024-01-02 03:04:05",
    tags: ["x", "y"],
    device: { os: "ios", ram: 8, on: true },
    items: [{ id: "sword", count: 1, rare: false }],
    "#city": "Berlin",
  };
  const user = {
    age: 30,
    country: "DE",
    premium: false,
    birthday: "2024-03-30 12:00:00",
    hobbies: ["x"],
    wallet: { gold: 10, tier: "a" },
  };
  return [
    { ...ids, "#type": "track", "#event_name": "login", properties: event },
    { ...ids, "#type": "user_set", properties: user },
  ].map((record) => ({ record, receivedMs: startMs + hourMs }));
}

function momentIn(random: Random, { startMs, endMs }: Scene): number {
  const time = random.int(startMs, endMs - 1);
  if (random.chance(0.15)) return Math.floor(time / dayMs) * dayMs + random.pick([0, -1, 1, -1000]);
  if (random.chance(0.2)) return Math.floor(time / hourMs) * hourMs;
  return random.chance(0.5) ? Math.floor(time / 1000) * 1000 : time;
}

function localText(project: ReferenceProject, instantMs: number): string {
  return formatMilli(toLocal(zoneOf(project.zone), instantMs));
}

function oneRecord(random: Random, scene: Scene, time: number): ReceivedRecord["record"] {
  const ids = someIds(random);
  const kind = random.next();
  if (kind < 0.75) return trackRecord(random, scene, time, ids);
  if (kind < 0.85) return updatableRecord(random, scene, time, ids);
  return userRecord(random, scene, time, ids);
}

/** A visitor, an account, or both; pairs change now and then. */
function someIds(random: Random): Record<string, string> {
  const person = random.few(0, 25);
  const account = `acc-${random.chance(0.05) ? random.int(0, 25) : person}`;
  const visitor = `${random.chance(0.1) ? "访客" : "vis"}-${random.chance(0.05) ? random.int(0, 25) : person}`;
  const which = random.next();
  if (which < 0.3) return { "#account_id": account };
  return which < 0.5 ? { "#distinct_id": visitor } : { "#account_id": account, "#distinct_id": visitor };
}

function trackRecord(
  random: Random,
  scene: Scene,
  time: number,
  ids: Record<string, string>,
): ReceivedRecord["record"] {
  const name = random.pick(eventNames);
  return {
    ...ids,
    "#type": "track",
    "#event_name": name,
    ...(random.chance(0.1) && { "#uuid": `u-${random.int(0, 1_000_000)}` }),
    ...(random.chance(0.03) && { "#first_check_id": `f-${random.int(0, 3)}` }),
    ...timed(random, scene, time, eventProperties(random, time)),
  };
}

function updatableRecord(
  random: Random,
  scene: Scene,
  time: number,
  ids: Record<string, string>,
): ReceivedRecord["record"] {
  return {
    ...ids,
    "#type": random.pick(["track_update", "track_update", "track_overwrite"]),
    "#event_name": random.pick(["order", "order", "login"]),
    "#event_id": `o-${random.int(0, 40)}`,
    ...timed(random, scene, time, eventProperties(random, time)),
  };
}

/**
 * An instant as local time; beside an offset of its own now and then, and always where the project's zone may repeat an
 * hour.
 */
function timed(
  random: Random,
  { project }: Scene,
  time: number,
  properties: Record<string, unknown>,
): Record<string, unknown> {
  const zone = zoneOf(project.zone);
  const changes = zone.offsetAt(time - 3 * hourMs) !== zone.offsetAt(time + 3 * hourMs);
  if (!changes && random.chance(0.6)) return { "#time": localText(project, time), properties };
  const offset = random.pick([0, 8, -5, 5.5, 14, -12, 5.75]);
  return {
    "#time": formatMilli(time + offset * hourMs),
    properties: { ...properties, "#zone_offset": offset },
  };
}

const nothings = [null, "", undefined];

function eventProperties(random: Random, time: number): Record<string, unknown> {
  const due = formatMilli(
    Math.floor(time / 1000) * 1000 + random.pick([0, 1, -1]) * random.few(0, 4 * dayMs),
  );
  const all: Record<string, () => unknown> = {
    price: () => random.pick(prices),
    huge: () => random.pick(huge),
    level: () => random.int(0, 6),
    score: () => random.int(0, 60) * random.pick([1, 1, 0.5]),
    channel: () => random.pick(channels),
    note: () =>
      random.pick([
        "n",
        "longer note",
        "x'); DROP TABLE events;--",
        "ends with 7",
        "ß ẞ",
        "\u0000",
        "$1 {} %s",
      ]),
    vip: () => random.chance(0.5),
    due: () => due.slice(0, 19),
    tags: () => Array.from({ length: random.few(0, 4) }, () => random.pick(tagTexts)),
    device: () => ({
      os: random.pick(["ios", "android", ""]),
      ...(random.chance(0.7) && { ram: random.pick([2, 4, 8.5]) }),
      on: random.pick([true, false, null]),
    }),
    items: () =>
      Array.from({ length: random.few(0, 3) }, () => ({
        id: random.pick(itemIds),
        ...(random.chance(0.7) && { count: random.int(1, 4) }),
        ...(random.chance(0.3) && { rare: random.chance(0.5) }),
      })),
    "#city": () => random.pick(cities),
  };
  const wrong: Record<string, unknown> = {
    price: random.pick(["12.5", "abc", true, ["x"]]),
    channel: random.pick([5, 0.5, true]),
    vip: random.pick(["true", "false", "yes", 1]),
    due: random.pick(["soon", "2024-02-30 00:00:00", 17]),
    tags: random.pick(["x", 3]),
  };
  return pickProperties(random, all, wrong);
}

function userRecord(
  random: Random,
  scene: Scene,
  time: number,
  ids: Record<string, string>,
): ReceivedRecord["record"] {
  const type = random.pick([
    "user_set",
    "user_set",
    "user_setOnce",
    "user_add",
    "user_append",
    "user_uniq_append",
    "user_unset",
    "user_del",
  ]);
  const lists = () => ({ hobbies: Array.from({ length: random.int(1, 3) }, () => random.pick(tagTexts)) });
  const all: Record<string, () => unknown> = {
    age: () => random.int(10, 60),
    country: () => random.pick(["DE", "FR", "中国", "de"]),
    premium: () => random.chance(0.5),
    birthday: () => formatSecond(time + random.int(-6, 6) * dayMs + random.int(0, 86_399) * 1000),
    hobbies: () => lists().hobbies,
    wallet: () => ({ gold: random.int(0, 20), tier: random.pick(["a", "b"]) }),
  };
  const chosen = pickProperties(random, all, { age: random.pick(["41", "old"]) });
  const properties =
    type === "user_add"
      ? { age: random.pick([1, -2, 0.5]) }
      : type === "user_append" || type === "user_uniq_append"
        ? lists()
        : type === "user_unset"
          ? Object.fromEntries(random.some(Object.keys(all), 2).map((name) => [name, 0]))
          : chosen;
  return {
    ...ids,
    "#type": type,
    "#time": localText(scene.project, time),
    properties: type === "user_del" ? {} : properties,
  };
}

function pickProperties(
  random: Random,
  all: Readonly<Record<string, () => unknown>>,
  wrong: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const properties: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(all)) {
    const kind = random.next();
    if (kind < 0.15) continue;
    const written = random.chance(0.1) ? name.toUpperCase().replace(/^#.*/, name) : name;
    if (kind < 0.2) properties[written] = random.pick(nothings);
    else properties[written] = kind < 0.23 && name in wrong ? wrong[name] : value();
  }
  return properties;
}
