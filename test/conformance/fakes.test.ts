import { describe } from "vitest";
import { createMemoryInbox } from "../services/webhook/memory-inbox.ts";
import { testKeys } from "./inbox/keys.ts";

// Fakes that stand in for a part of a port pass the tests of that part.

const nothing = { [Symbol.asyncDispose]: async () => undefined };

describe("memory inbox", () => {
  testKeys(async () => ({ inbox: createMemoryInbox(), ...nothing }));
});
