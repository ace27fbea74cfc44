/** Returns the settings whose path contains a text, in any case. */
export function matching<T extends { readonly path: string }>(
  settings: readonly T[],
  text: string,
): readonly T[] {
  const wanted = text.trim().toLowerCase();
  return wanted === "" ? settings : settings.filter(({ path }) => path.toLowerCase().includes(wanted));
}
