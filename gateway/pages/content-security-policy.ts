/** What the policy of a page allows besides its own scripts, styles, images and calls. */
interface PolicyOptions {
  /** Where forms may be sent. Default: nowhere. */
  readonly formAction?: "'none'" | "'self'";
  /** Where images come from. Default: the server. */
  readonly images?: string;
  /** Whether scripts may make markup from text (https://www.w3.org/TR/trusted-types/). Default: false. */
  readonly isMarkupMade?: boolean;
}

/**
 * Returns a Content-Security-Policy that allows nothing from other origins, nothing inline, and no frames around it.
 */
export function contentSecurityPolicy({
  formAction = "'none'",
  images = "'self'",
  isMarkupMade = false,
}: PolicyOptions = {}): string {
  const directives: readonly (string | false)[] = [
    "default-src 'none'",
    "base-uri 'none'",
    "connect-src 'self'",
    `form-action ${formAction}`,
    "frame-ancestors 'none'",
    `img-src ${images}`,
    !isMarkupMade && "require-trusted-types-for 'script'",
    "script-src 'self'",
    "style-src 'self'",
    !isMarkupMade && "trusted-types 'none'",
  ];
  return directives.filter((one) => one !== false).join("; ");
}
