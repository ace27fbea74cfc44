/** The names of keys, tokens, profiles, targets and what else a configuration names. */
export const shortName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** Says which names are valid, to follow the name of what has one. */
export const shortNameRule =
  "must be 1 to 64 letters, digits, dots, dashes or underscores, a letter or digit first";
