import { packageRoot } from './package-root.js';

/** Whether a text can only be the name or the code of an error. */
const isName = (text: unknown): text is string => typeof text === 'string' && /^\w{1,60}$/.test(text);

const maxFrames = 4;

/**
 * Renders the kind and the stack of an unexpected error without its message: a message may quote a secret or what a
 * deployment wrote.
 */
export function renderSafeStack(error: unknown): string {
  if (!(error instanceof Error)) return 'a value was thrown that is not an Error';
  const { name, message, stack = '', code } = error as NodeJS.ErrnoException;
  const frames = stack
    .slice(stack.indexOf(message) + message.length)
    .split('\n')
    .flatMap((line) => /^ {4}at .*?([^( ]+:\d+:\d+)\)?$/.exec(line)?.slice(1) ?? [])
    .map((location) => location.replace(/^file:\/\//, '').replace(`${packageRoot}/`, ''));
  const kind = [isName(name) ? name : 'Error', ...(isName(code) ? [`(${code})`] : [])].join(' ');
  return [`${kind} at ${frames[0] ?? 'an unknown location'}`, ...frames.slice(1, maxFrames)].join(', from ');
}

/** A bug in the suite or in one of its dependencies. */
export class InternalError extends Error {
  override readonly name = 'InternalError';

  constructor(error: unknown) {
    super(`Internal error, please report it: ${renderSafeStack(error)}.`);
    this.stack = this.message;
  }
}
