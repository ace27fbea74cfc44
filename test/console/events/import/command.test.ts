import { expect, test } from "vitest";
import { commandOf } from "../../../../console/src/pages/events/import/command.ts";
import { guessMapping, type Mapping } from "../../../../console/src/pages/events/import/mapping.ts";
import { sample } from "./sample.ts";

test.each([
  [
    {},
    "engage import orders.csv --project 1 --map '#event_name=Event' --map '#account_id=User' --map '#time=ordered at'",
  ],
  [{ event: { kind: "text", text: "order" } }, "--map '#event_name:=order'"],
])("the same import by command with %j", (changes, command) =>
  expect(commandOf(sample, { ...guessMapping(sample), ...(changes as Partial<Mapping>) }, 1n)).toContain(
    command,
  ),
);
