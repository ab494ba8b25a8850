import { expect } from '@playwright/test';
import type { Reason } from '../../src/support/reason.js';

/** Matches a reason by its code and by some of its data. */
export function reasonOf(code: string, data: Readonly<Record<string, unknown>> = {}): unknown {
  return expect.objectContaining({ code, data: expect.objectContaining(data) });
}

/** Lists a reason and the reasons among its data, the outermost first. */
export function listReasons(reason: Reason | undefined): Reason[] {
  if (reason === undefined) return [];
  const members = Object.values(reason.data).flat();
  const isReason = (member: (typeof members)[number]): member is Reason =>
    typeof member === 'object' && 'code' in member;
  return [reason, ...members.filter(isReason).flatMap(listReasons)];
}

/** Lists the codes of a reason and of the reasons among its data, the outermost first. */
export function listReasonCodes(reason: Reason | undefined): string[] {
  return listReasons(reason).map(({ code }) => code);
}
