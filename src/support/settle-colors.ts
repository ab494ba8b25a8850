/**
 * Node.js warns before anything else if FORCE_COLOR is set beside a variable that turns colors off, and ignores that
 * variable. Playwright sets FORCE_COLOR in its workers. With FORCE_COLOR=0 alone there are no colors, and no warning.
 */
export function settleColors(environment: NodeJS.ProcessEnv): void {
  const { NO_COLOR = '', NODE_DISABLE_COLORS = '' } = environment;
  if (NO_COLOR === '' && NODE_DISABLE_COLORS === '') return;
  environment.FORCE_COLOR ??= '0';
  delete environment.NO_COLOR;
  delete environment.NODE_DISABLE_COLORS;
}
