import { t } from "../texts/texts.ts";
import { LiveControl } from "./live-control.tsx";
import { Navigation } from "./navigation.tsx";
import { Outlet } from "./outlet.tsx";
import { PreferenceBar } from "./preference-bar.tsx";
import { isSignInNeeded } from "./session.ts";
import { SessionControl } from "./session-control.tsx";
import { SignIn } from "./sign-in.tsx";

/** The frame around all pages. */
export function App() {
  return (
    <>
      <button type="button" class="button skip" onClick={() => document.querySelector("h1")?.focus()}>
        {t("shell.skip")}
      </button>
      <div class="shell">
        <Navigation />
        <div>
          <header class="bar">
            <LiveControl />
            <SessionControl />
            <PreferenceBar />
          </header>
          <main class="page">{isSignInNeeded.value ? <SignIn /> : <Outlet />}</main>
        </div>
      </div>
    </>
  );
}
