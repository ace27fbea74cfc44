import { render } from "preact";
import { startRouter } from "../router/router.ts";
import { followLanguage } from "../texts/texts.ts";
import { App } from "./app.tsx";
import { applyPreferences } from "./preferences.ts";
import { followSession } from "./session.ts";

/** Renders the console when its texts are loaded. */
export async function start(): Promise<void> {
  applyPreferences();
  startRouter();
  followSession();
  await followLanguage();
  render(<App />, document.getElementById("app")!);
}
