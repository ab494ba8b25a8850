/** The first line of a run that sends nothing. @param file the evidence that it judges */
export function renderReplayNotice(file: string): string {
  return `Judges the exchanges of ${file} again. Nothing is sent.`;
}

/** The last one, so that nobody takes it for a run against the target. */
export const replayEndNotice = 'Nothing was sent: that is what the exchanges of an earlier run come to.';
