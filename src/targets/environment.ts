/** The settings of the environment; a value set on the command line has replaced the variable. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Variables of the environment by which the command line hands its flags over to Playwright. */
export const runVariables = {
  /** With the value 1: the reference deployment is meant, whatever else is named. */
  reference: 'CONFORMANCE_REFERENCE',
  out: 'CONFORMANCE_OUT',
  against: 'CONFORMANCE_AGAINST',
  recordTo: 'CONFORMANCE_RECORD_TO',
  /** With the value 1. */
  noIntrusive: 'CONFORMANCE_NO_INTRUSIVE',
  /** With the value 1. */
  allowHttp: 'CONFORMANCE_ALLOW_HTTP',
  /** With the value 1. */
  worldLoaded: 'CONFORMANCE_WORLD_LOADED',
  /** Ids of cases, requirements and questions, tags and groups, with commas between them. */
  only: 'CONFORMANCE_ONLY',
  /** `quick`, or how many requests a run may send. */
  budget: 'CONFORMANCE_BUDGET',
  /** Which share of the cases is to be run, such as 1/3. */
  shard: 'CONFORMANCE_SHARD',
  /** The folder, as the user named it, whose reports of shards are to be merged; nothing is run then. */
  merge: 'CONFORMANCE_MERGE',
  /** A folder of cases that are not of the suite. */
  cases: 'CONFORMANCE_CASES',
  /** An evidence file, which is judged again in the place of a target. */
  replay: 'CONFORMANCE_REPLAY',
  /** The file of a private key, with which certificate and evidence are signed. */
  sign: 'CONFORMANCE_SIGN',
  explore: 'CONFORMANCE_EXPLORE',
  seed: 'CONFORMANCE_SEED',
} as const;
