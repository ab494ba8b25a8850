/** Formats of requests for other programs. */
export const requestFormats = ['curl', 'http'] as const;

export type RequestFormat = (typeof requestFormats)[number];
