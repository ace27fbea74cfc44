import { createHmac } from "node:crypto";
import { expect, test } from "vitest";
import type { Page } from "../browser.ts";
import { type Served, secret } from "../served.ts";

/** Sends a body with a signature, as another program does. */
async function send(url: string, channel: string, body: string, key: string): Promise<number> {
  const response = await fetch(`${url}/webhook/${channel}`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "x-svc-ops-signature": createHmac("sha1", key).update(body).digest("hex"),
    },
    body,
  });
  return response.status;
}

const withoutTime = (text: string): string => text.replace(/^.*GMT[+-]\d+/, "");

/** Tests the parts of the page that follow what happens. */
export function testLive(
  served: () => Served,
  inPage: (place: string, check: (page: Page) => Promise<void>) => Promise<void>,
): void {
  test("what happens is shown live, until the user pauses", async () => {
    await inPage("deliveries?show=live", async (page) => {
      await page.getByText("Live", { exact: true }).first().waitFor();
      await page.getByText("Batches and attempts appear here while they happen.").waitFor();
      await served().sendBatch("mail", "r-live", ["fay", "gus", ""]);
      await page.getByText("1 not accepted").waitFor();
      await page.locator(".deliveries-tail .badge.good").waitFor();
      expect((await page.locator(".deliveries-tail li").allTextContents()).map(withoutTime)).toEqual([
        expect.stringMatching(/^Donelog2 messagesAttempt 1.*mail/),
        expect.stringMatching(/^Accepted2 messages1 not acceptedmail/),
      ]);
      await page.getByRole("button", { name: "Pause" }).click();
      await page.getByText("Paused", { exact: true }).waitFor();
    });
  });

  test("refused requests are shown with the likely cause, and no secret", async () => {
    expect(await send(served().url, "mail", '[{"push_id":"hal"}]', `${secret} `)).toBe(401);
    expect(await send(served().url, "mail", JSON.stringify({ secret }), secret)).toBe(400);
    expect(await send(served().url, "nope", "[]", secret)).toBe(404);
    await inPage("deliveries?show=refused", async (page) => {
      await page.getByText("signed with the secret and a space after it").waitFor();
      await page.getByText("Each replica shows its own.").waitFor();
      expect(await page.locator(".deliveries-tail .badge").allTextContents()).toEqual([
        "Unknown channel",
        "Malformed body",
        "Not authenticated",
      ]);
      await page.getByLabel("Kind of refusal").selectOption("badBody");
      await page.getByText("signed with the secret").first().waitFor({ state: "detached" });
      await page.getByText("Beginning of the body").first().click();
      expect(await page.locator(".bytes pre").allTextContents()).toEqual([
        `{"secret":"${"*".repeat(secret.length)}"}`,
      ]);
      expect(page.url()).toContain("refused=badBody");
    });
  });
}
