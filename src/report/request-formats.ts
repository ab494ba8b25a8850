/** How the requests of a plan may be written, for other programs to send. */
export const requestFormats = ['curl', 'http'] as const;

export type RequestFormat = (typeof requestFormats)[number];
