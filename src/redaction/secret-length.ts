/** Secrets with fewer characters are part of many words: they are recognised beside the name of their header alone. */
export const minSecretLength = 6;
