/** The texts of signing in and out. */
export const session = {
  "session.title": "Sign in",
  "session.lead":
    "This server asks for a key. An operator makes one with the command below and adds it to auth.keys.",
  "session.key": "Key",
  "session.key.limits":
    "The text that the command printed, starting with engage_. It is kept in an encrypted cookie for 12 hours.",
  "session.signIn": "Sign in",
  "session.signOut": "Sign out",
  "session.as": "Signed in as {name}",
  "session.readOnly": "Read only",
  "session.unreachable": "The server cannot be reached. Check that it runs, then try again.",
} as const;
