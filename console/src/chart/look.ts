/** The height of a chart in pixels. */
export const height = 180;

/** Names of the colours of lines, in their order. */
export const lineColors = ["--line-0", "--line-1", "--line-2", "--line-3", "--line-4", "--line-5"] as const;

/** Resolves a colour that depends on the theme, which a canvas cannot. */
export function colorOf(host: HTMLElement, name: string): string {
  const probe = document.createElement("span");
  probe.style.color = `var(${name})`;
  host.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

/** Follows the width of an element and the colours of the system. Returns what ends that. */
export function watchLook(
  host: HTMLElement,
  changeColors: () => void,
  changeWidth: (width: number) => void,
): () => void {
  const resize = new ResizeObserver(() => changeWidth(host.clientWidth));
  resize.observe(host);
  const scheme = matchMedia("(prefers-color-scheme: dark)");
  scheme.addEventListener("change", changeColors);
  return () => {
    resize.disconnect();
    scheme.removeEventListener("change", changeColors);
  };
}
