import { randomInt } from "node:crypto";

/** `TEST_SEED=123 npx vitest run test/reference` asks again what was asked with that seed. */
export const seed = Number(process.env["TEST_SEED"] ?? randomInt(2 ** 31));
