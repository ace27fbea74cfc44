import type { Intake, IntakeKeys, IntakePlace, ProjectKeys } from "../../../store/intake/intake.ts";

export interface IntakeUnderTest extends AsyncDisposable {
  /** Opens it, or opens it again: what was not committed is gone. */
  open(): Promise<Intake>;
}

export const windowMs = 10_000;

/** Runs a test on a new intake that has loaded nothing. */
export type Using = (work: (under: IntakeUnderTest, intake: Intake) => Promise<void>) => () => Promise<void>;

export const place = (offset: number): IntakePlace => ({ number: 1, offset });

const events = ["open", "Open"];

/** The given ids as keys of any kind, in projects 1 to 3. */
export function keysOf(ids: Iterable<string>): IntakeKeys {
  // A batch often has an id twice.
  const all = [...ids].flatMap((id) => [id, id]);
  const keys: ProjectKeys = {
    accountIds: all,
    distinctIds: all,
    uuids: all,
    firstCheckIds: new Map(events.map((event) => [event, new Set(all)])),
  };
  return new Map([1, 2, 3].map((projectId) => [projectId, keys]));
}
