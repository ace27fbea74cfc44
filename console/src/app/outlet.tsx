import { useSignal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect, useErrorBoundary } from "preact/hooks";
import { Button } from "../controls/button.tsx";
import { PageHead } from "../controls/page-head.tsx";
import { hrefOf, route } from "../router/router.ts";
import { t } from "../texts/texts.ts";
import type { PageProps } from "./page-props.ts";
import { findPage, type PageEntry } from "./pages.ts";

/** The page at the present place. */
export function Outlet() {
  const [error] = useErrorBoundary();
  const { path } = route.value;
  const found = findPage(path);
  if (error !== undefined) return <FailedPage />;
  if (found === undefined) return <UnknownPage path={path} />;
  return <LoadedPage key={found.page.path} page={found.page} rest={found.rest} />;
}

/** Pages whose code is loaded, by their path. */
const loaded = new Map<string, ComponentType<PageProps>>();

async function loadPage(page: PageEntry): Promise<void> {
  loaded.set(page.path, await page.load());
}

/** Loads the page at the present place, so that it is rendered with the frame. Does nothing if that fails. */
export async function loadFirstPage(): Promise<void> {
  const found = findPage(route.value.path);
  if (found !== undefined) await loadPage(found.page).catch(() => undefined);
}

function LoadedPage({ page, rest }: { readonly page: PageEntry; readonly rest: readonly string[] }) {
  const isLoaded = useSignal(loaded.has(page.path));
  const hasFailed = useSignal(false);
  useEffect(() => {
    loadPage(page).then(
      () => {
        isLoaded.value = true;
      },
      () => {
        hasFailed.value = true;
      },
    );
  }, [page, isLoaded, hasFailed]);
  if (hasFailed.value) return <FailedPage />;
  const Page = isLoaded.value ? loaded.get(page.path) : undefined;
  if (Page === undefined) return <p class="muted">{t("shell.loading")}</p>;
  return <Page rest={rest} query={route.value.query} />;
}

function UnknownPage({ path }: { readonly path: readonly string[] }) {
  return (
    <>
      <PageHead
        title={t("shell.unknown.title")}
        lead={t("shell.unknown.text", { path: `/${path.join("/")}` })}
      />
      <p>
        <a href={hrefOf([])}>{t("shell.unknown.home")}</a>
      </p>
    </>
  );
}

function FailedPage() {
  return (
    <>
      <PageHead title={t("shell.failed.title")} lead={t("shell.failed.text")} />
      <div>
        <Button onClick={() => location.reload()}>{t("shell.failed.reload")}</Button>
      </div>
    </>
  );
}
