import { packageRoot } from './package-root.js';

export class InternalError extends Error {
  override readonly name = 'InternalError';

  /** Shows the places of an error, and not its message: that may quote a secret, or what a deployment wrote. */
  constructor(error: unknown) {
    const { name = 'Error', message = '', stack = '' } = error instanceof Error ? error : {};
    const frames = stack
      .slice(stack.indexOf(message) + message.length)
      .matchAll(/^ {4}at .*?(?:file:\/\/)?([^( ]+:\d+:\d+)\)?$/gm);
    const places = Array.from(frames, ([, place = '']) => place.replace(`${packageRoot}/`, '')).slice(0, 4);
    const kind = /^\w{1,60}$/.test(name) ? name : 'Error';
    super(`Internal error, please report it: ${kind} at ${places.join(', from ') || 'an unknown location'}.`);
    this.stack = this.message;
  }
}
