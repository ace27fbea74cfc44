import { render } from "preact";
import { startRouter } from "../router/router.ts";
import { followLanguage } from "../texts/texts.ts";
import { App } from "./app.tsx";
import { loadFirstPage } from "./outlet.tsx";
import { applyPreferences } from "./preferences.ts";
import { followSession } from "./session.ts";

/** Renders the console when its texts and its first page are loaded. */
export async function start(): Promise<void> {
  applyPreferences();
  startRouter();
  followSession();
  await Promise.all([followLanguage(), loadFirstPage()]);
  render(<App />, document.getElementById("app")!);
}
