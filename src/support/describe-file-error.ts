const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  EISDIR: 'it is a folder',
  ENOTDIR: 'it is not a folder',
  ELOOP: 'it is a link to itself',
  EACCES: 'this user has no permission',
  EPERM: 'this user has no permission',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
};

/** Describes a system error in words, such as `cannot be read: it is a folder`. @param failure what cannot be done */
export function describeFileError(error: unknown, failure = 'cannot be read'): string {
  const { code = 'unknown error' } = error as NodeJS.ErrnoException;
  return `${failure}: ${reasons[code] ?? code}`;
}
