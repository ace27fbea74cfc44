/** Reports whether the name of a header says that its value is a secret, as that of X-Api-Key does. */
export function isSecretHeader(name: string): boolean {
  return /auth|cookie|key|pass|secret|sign|token/i.test(name);
}
