const dayMs = 86_400_000;

/** Returns the milliseconds to add to an instant for its local time. */
export interface Zone {
  offsetAt(instantMs: number): number;
}

/** @param zone hours east of UTC, or an IANA name */
export function zoneOf(zone: number | string): Zone {
  return typeof zone === "number" ? { offsetAt: () => Math.round(zone * 3_600_000) } : namedZone(zone);
}

export function toLocal(zone: Zone, instantMs: number): number {
  return instantMs + zone.offsetAt(instantMs);
}

/** Converts local time: a repeated hour is the first one, a skipped time uses the offset before the skip. */
export function toInstant(zone: Zone, localMs: number): number {
  const before = localMs - zone.offsetAt(localMs - dayMs);
  const after = localMs - zone.offsetAt(localMs + dayMs);
  return toLocal(zone, before) === localMs || toLocal(zone, after) !== localMs ? before : after;
}

interface Step {
  readonly fromMs: number;
  readonly offsetMs: number;
}

const known = new Map<string, Zone>();

function namedZone(name: string): Zone {
  const found = known.get(name);
  if (found) return found;
  const steps = listSteps(name, Date.UTC(2015, 0, 1), Date.UTC(2031, 0, 1)).reverse();
  const zone = {
    offsetAt: (instantMs: number) => steps.find((step) => instantMs >= step.fromMs)!.offsetMs,
  };
  known.set(name, zone);
  return zone;
}

/** Ascending; the first holds for all time before, too. */
function listSteps(name: string, fromMs: number, toMs: number): Step[] {
  const format = new Intl.DateTimeFormat("en-US", { timeZone: name, timeZoneName: "longOffset" });
  const offsetAt = (instantMs: number): number => {
    const text = format.formatToParts(instantMs).find((part) => part.type === "timeZoneName")!.value;
    const [, sign, hours, minutes] = /GMT(?:([+-])(\d\d):(\d\d))?/.exec(text)!;
    return (sign === "-" ? -1 : 1) * (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * 60_000;
  };
  const steps: Step[] = [{ fromMs: -Infinity, offsetMs: offsetAt(fromMs) }];
  for (let day = fromMs; day < toMs; day += dayMs) {
    if (offsetAt(day) === offsetAt(day + dayMs)) continue;
    let [low, high] = [day, day + dayMs];
    while (high - low > 1000) {
      const middle = Math.floor((low + high) / 2000) * 1000;
      if (offsetAt(middle) === offsetAt(low)) low = middle;
      else high = middle;
    }
    steps.push({ fromMs: high, offsetMs: offsetAt(high) });
  }
  return steps;
}
