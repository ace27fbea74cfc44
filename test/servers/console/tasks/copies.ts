import { describe, expect, test } from "vitest";
import { accessibilityFaults, type Page } from "../browser.ts";
import { field, type TasksPage } from "./page.ts";

export function testCopies({ browser, openNew, post, served }: TasksPage): void {
  describe("a task that begins with another", () => {
    const definitionOf = async (taskId: string): Promise<Record<string, unknown>> => {
      const response = await fetch(`${served().url}/v1/tasks/${taskId}`);
      const { task } = (await response.json()) as { task: Record<string, unknown> };
      const { name, channelId, contents, audience, experimentGroups, schedule, journey } = task;
      return { name, channelId, contents, audience, experimentGroups, schedule, journey };
    };
    const idIn = (page: Page): string => /tasks\/(t\d+)/.exec(page.url())![1]!;
    const createTask = async (changes: object): Promise<string> => {
      const given = { name: "Model", channelId: "c1", contents: [content], ...changes };
      return (await post<{ task: { taskId: string } }>("/v1/tasks", given)).task.taskId;
    };
    const content = {
      language: "default",
      values: { title: { text: "Hi" }, items: { rows: { rows: [{ cells: { id: "7", count: "1" } }] } } },
    };
    /** Opens the form by the link on the page of a task. */
    const openCopy = async (taskId: string) => {
      const opened = await browser().open();
      await opened.page.goto(`${served().url}/console/#/tasks/${taskId}`);
      await opened.page.getByText("Make a new task like this").click();
      return opened;
    };

    test("is made from what the form shows, with the node of a journey", async () => {
      const filts = [{ columnName: "level", tableType: "user", comparator: "greater", ftv: ["2"] }];
      const model = await createTask({
        audience: { users: { filts, relation: "or" } },
        experimentGroups: [{ groupId: "a", share: 33.3, contents: [content] }],
        schedule: { cron: "30 9 * * *", zone: "+08:00" },
      });
      const { page, faults, close } = await openCopy(model);
      await page.locator("main .form").waitFor();
      expect(await field(page, "Value").inputValue()).toBe("2");
      await page.getByLabel("This task is the push of a journey's node").click();
      await page.getByRole("button", { name: "Create the task" }).click();
      await page.locator('[aria-invalid="true"]').first().waitFor();
      await field(page, "Id of the journey").fill("flow-1");
      await field(page, "Version of the journey").fill("3");
      await field(page, "Id of the node").fill("node-7");
      expect(await accessibilityFaults(page)).toEqual([]);
      await page.getByRole("button", { name: "Create the task" }).click();
      await page.getByText("Journey flow-1, version 3, node node-7").waitFor();
      const copy = idIn(page);
      expect(copy).not.toBe(model);
      const journey = { flowId: "flow-1", flowVersion: "3", nodeId: "node-7" };
      expect(await definitionOf(copy)).toEqual({ ...(await definitionOf(model)), journey });
      expect(faults).toEqual([]);
      await close();
    });

    test("is edited as JSON where the form would lose a part of it", async () => {
      const model = await createTask({ audience: { pushIds: { pushIds: ["two\nlines", " spaces "] } } });
      const { page, faults, close } = await openCopy(model);
      await page.getByText("The form cannot show all of this task").waitFor();
      const json = field(page, "The task as JSON");
      const text = await json.inputValue();
      await json.fill(text.slice(1));
      await page.getByRole("button", { name: "Create the task" }).click();
      await page.locator('[aria-invalid="true"]').waitFor();
      await json.fill(text);
      await page.getByRole("tab", { name: "Form" }).click();
      await page.locator(".field .error").waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);
      await page.getByRole("button", { name: "Create the task" }).click();
      await page.getByText("The task has not run yet.").waitFor();
      expect(await definitionOf(idIn(page))).toEqual(await definitionOf(model));
      expect(faults).toEqual([]);
      await close();
    });

    test("goes from the form to its JSON and back", async () => {
      const { page, close } = await openNew();
      await field(page, "Name").fill("Typed");
      await page.getByRole("tab", { name: "JSON" }).click();
      const json = field(page, "The task as JSON");
      await json.fill((await json.inputValue()).replace('"Typed"', '"By hand"'));
      await page.getByRole("tab", { name: "Form" }).click();
      await page.locator("main .form").waitFor();
      expect(await field(page, "Name").inputValue()).toBe("By hand");
      await close();
    });
  });
}
