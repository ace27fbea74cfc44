import { expect, test } from "vitest";
import { matching } from "../../console/src/pages/settings/matching.ts";

const settings = ["listen", "analysis.tokens[0].name", "webhook.channels.demo"].map((path) => ({ path }));

test.each([
  ["", settings.length],
  ["  ", settings.length],
  ["TOKENS[0]", 1],
  ["e", 3],
  ["nope", 0],
])("%j finds %i settings", (text, count) => expect(matching(settings, text)).toHaveLength(count));
