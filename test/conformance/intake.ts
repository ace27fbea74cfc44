import { describeBatches } from "./intake/batches.ts";
import { describeClaims } from "./intake/claims.ts";
import { describeIdentity } from "./intake/identity.ts";
import { describeRestore } from "./intake/restore.ts";
import type { IntakeUnderTest, Using } from "./intake/store.ts";

/** Tests that every intake must pass. Its window of uuids is `windowMs`. */
export function describeIntake(start: () => IntakeUnderTest): void {
  const using: Using = (work) => () => {
    using under = start();
    const intake = under.open();
    intake.rewind(undefined);
    work(under, intake);
  };
  describeIdentity(using);
  describeRestore(using);
  describeClaims(using);
  describeBatches(using);
}
