import type { Intake, IntakePlace } from "../../../store/intake/intake.ts";

export interface IntakeUnderTest extends Disposable {
  /** Opens it, or opens it again: what was not committed is gone. */
  open(): Intake;
}

export const windowMs = 10_000;

/** Runs a test on a new intake that has loaded nothing. */
export type Using = (work: (under: IntakeUnderTest, intake: Intake) => void) => () => void;

export const place = (offset: number): IntakePlace => ({ number: 1, offset });
