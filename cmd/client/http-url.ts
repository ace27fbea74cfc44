import { UserError } from "../terminal/user-error.ts";

/** Checks the value of `--url`. @throws UserError when it is not an HTTP URL */
export function checkUrl(url: string): void {
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return;
  throw new UserError(`--url is ${JSON.stringify(url)}, must be a URL such as "http://127.0.0.1:8080"`);
}
