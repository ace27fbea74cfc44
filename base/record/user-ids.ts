/** The names of the ids of a user, as records and results have them. */
export const userIdNames = ["#user_id", "#account_id", "#distinct_id"] as const;

const names: ReadonlySet<string> = new Set(userIdNames);

export function isUserIdName(name: string): boolean {
  return names.has(name);
}
