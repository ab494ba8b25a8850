/** Something that notices mutants: it fails where one makes a difference to it. */
export interface MutationTest {
  readonly name: string;
  /** @throws an Error where a mutant is noticed */
  run(): Promise<void>;
}
