import { randomInt } from "node:crypto";

/** `ENGAGE_TEST_SEED=123 npx vitest run test/reference` asks again what was asked with that seed. */
export const seed = Number(process.env["ENGAGE_TEST_SEED"] ?? randomInt(2 ** 31));
