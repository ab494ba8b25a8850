/** Variables of the environment, such as `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;
