import type { HttpRequest } from '../http/exchange.js';
import type { FailureCondition } from '../judge/judge-case.js';

/**
 * What may have made a response wrong: requests in flight at the same time, the request before it, or a connection that
 * earlier requests have used.
 */
export type ConditionKind = FailureCondition['kind'];

/** A condition under which a row is sent again, with what is sent. */
export interface Trial {
  readonly kind: ConditionKind;
  /** Counted from 0. */
  readonly row: number;
  /** The name of the suspected request of the row. */
  readonly name: string;
  /** The other requests that make the condition, in the order in which they are sent. */
  readonly partners: readonly HttpRequest[];
  /** Their names, for people. */
  readonly labels: readonly string[];
}

/** Names a request that makes a condition, for the evidence. */
export function formatPartnerName(kind: ConditionKind, position: number, label: string): string {
  return `${kind} ${position}: ${label}`;
}

/** Reads a name of {@link formatPartnerName}; returns undefined for the name of any other request. */
export function parsePartnerName(name: string): { readonly kind: ConditionKind; readonly label: string } | undefined {
  const [, kind, label = ''] = /^(overlapping|after|reused-connection) \d+: (.*)$/s.exec(name) ?? [];
  return kind === undefined ? undefined : { kind: kind as ConditionKind, label };
}

/** Tells when a row fails, as the beginning of a reason. */
export function renderCondition({ kind, labels }: Trial): string {
  const last = labels.at(-1) ?? '';
  const isOne = labels.length === 1;
  const beginnings = {
    overlapping: 'Only when requests overlap',
    after: isOne ? `Only after request ${last}` : `Only after earlier requests, the last of them ${last}`,
    'reused-connection': isOne ? `Only on a reused connection, after request ${last}` : 'Only on a reused connection',
  };
  return beginnings[kind];
}
