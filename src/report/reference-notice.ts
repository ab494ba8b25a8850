/**
 * What a run says that nobody's deployment was under test, in its first line and in its last: whoever forgot to name
 * one must not take the verdict for theirs.
 */
export const referenceNotice = 'This is the reference deployment, which comes with the suite: no other is under test.';
export const referenceEndNotice =
  'That was the reference deployment, which comes with the suite. Name yours with BASE_URL, --base-url or --target.';
