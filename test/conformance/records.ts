import { describe } from "vitest";
import { testAppending } from "./records/append.ts";
import { testChecksums } from "./records/checksums.ts";
import type { RecordsPlace } from "./records/place.ts";
import { testReading } from "./records/read.ts";
import { testRelease } from "./records/release.ts";

/** Tests that every spool of records must pass, with its reader. */
export function testRecords(name: string, createPlace: () => Promise<RecordsPlace>): void {
  describe(name, () => {
    testAppending(createPlace);
    testReading(createPlace);
    testRelease(createPlace);
    testChecksums(createPlace);
  });
}
