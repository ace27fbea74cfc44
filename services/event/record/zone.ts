const minuteMs = 60_000;
/** Zones change their offset on quarter hours, so one answer holds for all of it. */
const quarterMs = 15 * minuteMs;
const dayMs = 86_400_000;
/** Quarter hours that are remembered of a zone, a year and more; then it starts afresh. */
const maxQuarters = 40_000;

/**
 * How local times of a zone become instants; both in milliseconds, the local
 * one as if it were UTC. A time that occurs twice is the first of the two; one
 * that is skipped moves ahead by the length of the gap.
 * @param zone an offset such as `+05:30`, or an IANA name
 * @throws RangeError when there is no such zone
 */
export function compileToInstant(zone: string): (localMs: number) => number {
  const match = /^([+-])(\d{2}):(\d{2})$/.exec(zone);
  if (match !== null) {
    const sign = match[1] === "-" ? -1 : 1;
    const offsetMs = sign * (Number(match[2]) * 60 + Number(match[3])) * minuteMs;
    return (localMs) => localMs - offsetMs;
  }
  const offsetAt = compileOffset(zone);
  // Intl takes microseconds a call.
  const known = new Map<number, number>();
  return (localMs) => {
    const quarter = Math.floor(localMs / quarterMs);
    let offset = known.get(quarter);
    if (offset === undefined) {
      offset = localMs - resolve(offsetAt, localMs);
      if (known.size >= maxQuarters) known.clear();
      known.set(quarter, offset);
    }
    return localMs - offset;
  };
}

function resolve(offsetAt: (instantMs: number) => number, localMs: number): number {
  const before = offsetAt(localMs - dayMs);
  const after = offsetAt(localMs + dayMs);
  if (before === after || offsetAt(localMs - before) === before) return localMs - before;
  return offsetAt(localMs - after) === after ? localMs - after : localMs - before;
}

function compileOffset(zone: string): (instantMs: number) => number {
  const format = new Intl.DateTimeFormat("en-US", { timeZone: zone, timeZoneName: "longOffset" });
  return (instantMs) => {
    // "9/4/2023, GMT+08:00"; plain "GMT" is no offset. Before 1900 there are seconds, too.
    const match = /GMT([+-])(\d{2}):(\d{2})(?::(\d{2}))?$/.exec(format.format(instantMs));
    if (match === null) return 0;
    const [, sign, hours, minutes, seconds = 0] = match;
    const ms = (Number(hours) * 60 + Number(minutes)) * minuteMs + Number(seconds) * 1_000;
    return sign === "-" ? -ms : ms;
  };
}
