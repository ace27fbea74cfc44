import { describe } from "vitest";
import { createMemoryStore } from "../services/event/load/memory-store.ts";
import { createMemoryInbox } from "../services/webhook/memory-inbox.ts";
import { openTempFolder } from "../store/inbox/temp-folder.ts";
import { testVocabulary } from "./events/schema.ts";
import { testKeys } from "./inbox/keys.ts";

// Fakes that stand in for a part of a port pass the tests of that part.

const nothing = { [Symbol.asyncDispose]: async () => undefined };

describe("memory inbox", () => {
  testKeys(async () => ({ inbox: createMemoryInbox(), ...nothing }));
});

describe("memory store of events", () => {
  testVocabulary(async () => {
    const folder = await openTempFolder();
    const store = { ...createMemoryStore(), ...nothing };
    return {
      folder: folder.path,
      open: async () => store,
      [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
    };
  });
});
