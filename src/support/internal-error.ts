import { packageRoot } from './package-root.js';

/** The name or the code of an error, where it can be nothing else. */
const isName = (text: unknown): text is string => typeof text === 'string' && /^\w{1,60}$/.test(text);

/** Of the places that led to an error. */
const maxFrames = 4;

/**
 * What may be shown of an error that nobody expected: its kind, and where in the code it came about. Its message is not,
 * since an engine or a library may quote there what a deployment wrote, or a secret.
 */
export function renderSafeStack(error: unknown): string {
  if (!(error instanceof Error)) return 'something was thrown that is no error';
  const { name, message, stack = '', code } = error as NodeJS.ErrnoException;
  const frames = stack
    .slice(stack.indexOf(message) + message.length)
    .split('\n')
    .flatMap((line) => /^ {4}at .*?([^( ]+:\d+:\d+)\)?$/.exec(line)?.slice(1) ?? [])
    .map((place) => place.replace(/^file:\/\//, '').replace(`${packageRoot}/`, ''));
  const kind = [isName(name) ? name : 'Error', ...(isName(code) ? [`(${code})`] : [])].join(' ');
  return [`${kind} at ${frames[0] ?? 'an unknown place'}`, ...frames.slice(1, maxFrames)].join(', from ');
}

/** A mistake in the suite itself, or in what it is made of. */
export class InternalError extends Error {
  override readonly name = 'Mistake';

  constructor(error: unknown) {
    super(`A mistake in the suite itself, please report it: ${renderSafeStack(error)}.`);
    this.stack = this.message;
  }
}
