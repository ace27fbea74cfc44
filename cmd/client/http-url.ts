import { UserError } from "../terminal/user-error.ts";

/** What `--url` names. @throws UserError when it is no URL of HTTP */
export function checkUrl(url: string): void {
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return;
  throw new UserError(`--url is ${JSON.stringify(url)}, give one such as "http://127.0.0.1:8080"`);
}
