import type { RecordHead, Verdict } from "./seen-record.ts";

/** Selects records of a project. A record must match all that is given. */
export interface WatchFilter {
  readonly projectId: number;
  /** Undefined: any event, and records of users. */
  readonly eventNames?: readonly string[] | undefined;
  readonly appid?: string | undefined;
  readonly verdicts?: readonly Verdict[] | undefined;
}

export function matches(
  { eventNames, appid, verdicts }: WatchFilter,
  head: RecordHead,
  verdict: Verdict,
): boolean {
  return (
    (eventNames === undefined || eventNames.includes(head.eventName)) &&
    (appid === undefined || appid === head.appid) &&
    (verdicts === undefined || verdicts.includes(verdict))
  );
}
