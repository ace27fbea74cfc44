import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

/** The tools that read webhooks and dead letters are not for the key of the example. */
const otherServices = ["WebhookReceiver", "DeadLetters"];

it("the key in the page of agents has the methods that its table lists, and no others", () => {
  const page = readFileSync("docs/agents.md", "utf8");
  const given = [...page.matchAll(/^ +- engage\.\w+\.v1\.(\w+\/[\w*]+)/gm)].map(([, name]) => name!);
  const [, ofProjects] = /`(Catalog\/ListProjects)`/.exec(page)!;
  const listed = new Set([ofProjects!, "AgentTools/*"]);
  for (const [, cell] of page.matchAll(/^\| `\w+` \|.*\| ([^|]+) \|$/gm)) {
    let service = "";
    for (const [, own, method] of cell!.matchAll(/`(?:(\w+)\/)?(\w+)`/g)) {
      service = own ?? service;
      if (!otherServices.includes(service)) listed.add(`${service}/${method}`);
    }
  }
  expect(given.toSorted()).toEqual([...listed].toSorted());
  expect(given).toContain("ChannelSender/RunTask");
});
