/** Something that notices mutants: it fails where one makes a difference to it. */
export interface MutationTest {
  readonly name: string;
  /** @throws an Error where a mutant is noticed */
  run(): Promise<void>;
}

const mark = 'question ';

/** Names the test of one answer to a question. */
export function renderQuestionTestName(question: string, outcome: string): string {
  return `${mark}${question}: ${outcome}`;
}

/** The question that a test of this name is about, if it is about one. */
export function parseQuestion(name: string): string | undefined {
  return name.startsWith(mark) ? name.slice(mark.length).split(':')[0] : undefined;
}
