import { expect, it } from "vitest";
import { createRandom } from "../../../reference/random.ts";
import { seed } from "../../../reference/seed.ts";
import { casesOf } from "../../../thorough.ts";
import { runHistory } from "./attempt-history.ts";

it(`attempts are right whatever happens, TEST_SEED=${seed}`, async () => {
  for (let own = seed; own < seed + casesOf(1_000); own++) {
    const faults = await runHistory(createRandom(own));
    expect(faults.slice(0, 5), `TEST_SEED=${own}`).toEqual([]);
  }
});
