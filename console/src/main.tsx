import { render } from "preact";
import "./style/tokens.css";
import "./style/base.css";
import "./style/shell.css";
import "./style/controls.css";
import "./style/chart.css";
import { App } from "./app/app.tsx";
import { applyPreferences } from "./app/preferences.ts";
import { followSession } from "./app/session.ts";
import { startRouter } from "./router/router.ts";
import { followLanguage } from "./texts/texts.ts";

applyPreferences();
startRouter();
followSession();
await followLanguage();
render(<App />, document.getElementById("app")!);
