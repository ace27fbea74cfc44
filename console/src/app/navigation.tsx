import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Button } from "../controls/button.tsx";
import { hrefOf, route } from "../router/router.ts";
import { serverUrl } from "../rpc/transport.ts";
import { t } from "../texts/texts.ts";
import { Icon } from "./icon.tsx";
import { type PageEntry, pages } from "./pages.ts";

const groups = ["traffic", "analysis", "push", "server"] as const;

/** The pages by group. On narrow screens a button opens them, and choosing one closes them. */
export function Navigation() {
  const isOpen = useSignal(false);
  const present = route.value.path[0] ?? "";
  // Another page closes the menu.
  useEffect(() => {
    isOpen.value = false;
  }, [present]);
  return (
    <nav class="side" aria-label={t("shell.pages")} data-open={String(isOpen.value)}>
      <div class="side-top">
        <a class="brand" href={hrefOf([])}>
          <img src="./icon.svg" alt="" />
          engage
        </a>
        <span class="menu-button">
          <Button
            kind="quiet"
            label={t("shell.menu")}
            isPressed={isOpen.value}
            onClick={() => {
              isOpen.value = !isOpen.value;
            }}
          >
            <Icon name="menu" />
          </Button>
        </span>
      </div>
      <div class="stack groups">
        {groups.map((group) => (
          <Group key={group} name={group} present={present} />
        ))}
      </div>
      <ul class="foot">
        <li>
          <a href={`${serverUrl}/docs`}>
            <Icon name="reference" />
            {t("shell.reference")}
          </a>
        </li>
      </ul>
    </nav>
  );
}

function Group({ name, present }: { readonly name: PageEntry["group"]; readonly present: string }) {
  const inside = pages.filter(({ group }) => group === name);
  if (inside.length === 0) return null;
  return (
    <div>
      <h2 id={`group-${name}`}>{t(`shell.group.${name}`)}</h2>
      <ul aria-labelledby={`group-${name}`}>
        {inside.map(({ path, title, icon }) => (
          <li key={path}>
            <a href={hrefOf(path === "" ? [] : [path])} aria-current={path === present ? "page" : undefined}>
              <Icon name={icon} />
              {t(title as "overview.title")}
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
}
