import { describeBatches } from "./intake/batches.ts";
import { describeClaims } from "./intake/claims.ts";
import { describeIdentity } from "./intake/identity.ts";
import { describeRestore } from "./intake/restore.ts";
import type { IntakeUnderTest, Using } from "./intake/store.ts";

/** Tests that every intake must pass. Its window of uuids is `windowMs`. */
export function describeIntake(start: () => Promise<IntakeUnderTest>): void {
  const using: Using = (work) => async () => {
    await using under = await start();
    const intake = await under.open();
    await intake.rewind(undefined);
    await work(under, intake);
  };
  describeIdentity(using);
  describeRestore(using);
  describeClaims(using);
  describeBatches(using);
}
