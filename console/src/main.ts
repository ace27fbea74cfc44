import "./style/tokens.css";
import "./style/base.css";
import "./style/shell.css";
import "./style/controls.css";
import "./style/chart.css";
import { findPage } from "./app/pages.ts";
import { parseRoute } from "./router/route.ts";
import { chosenLanguage, loadTexts } from "./texts/languages.ts";

// The texts and the page load beside the frame, not after it. The frame loads them again, which costs nothing, and
// handles a failure.
const ignore = (): void => undefined;
loadTexts(chosenLanguage()).catch(ignore);
findPage(parseRoute(location.hash).path)?.page.load().catch(ignore);
// Not awaited: the frame imports from the chunk of this module.
void import("./app/start.tsx").then(({ start }) => start());
