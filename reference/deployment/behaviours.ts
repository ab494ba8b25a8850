import { findNearest } from './find-nearest.js';
import { outcomes } from './outcomes.js';

/** A question with named outcomes. `outcomes.ts` has them all, made from the contract. */
export type ClosedQuestion = keyof typeof outcomes;
export type Outcome<Q extends ClosedQuestion> = (typeof outcomes)[Q][number];

/** What the deployment answers by default: what the vendor publishes about a real deployment, or else the mildest outcome. */
const defaultOutcomes: { readonly [Q in ClosedQuestion]: Outcome<Q> } = {
  'empty-result': 'empty-list',
  'result-order': 'newest-first',
  'result-repetition': 'once',
  repeatability: 'identical',

  'omitted-customer': 'as-anybody',
  'omitted-order': 'as-empty-order',
  'omitted-metadata': 'as-empty-metadata',
  'omitted-options': 'no-difference',
  'omitted-order-metadata': 'no-difference',
  'empty-object': 'as-anybody',
  'absent-body': 'as-anybody',
  'empty-items': 'as-empty-order',
  'missing-quantity': 'as-one',
  'item-without-id': 'item-ignored',
  'item-with-both-ids': 'both-count',

  'unknown-customer': 'as-anybody',
  'unknown-product': 'item-ignored',
  'unknown-sku': 'item-ignored',
  'unknown-body-member': 'ignored',
  'unknown-query-parameter': 'ignored',

  'quantity-numeric-string': 'as-number',
  'quantity-non-numeric-string': 'rejected',
  'quantity-empty-string': 'rejected',
  'quantity-zero': 'item-ignored',
  'quantity-negative': 'rejected',
  'quantity-fraction': 'rejected',
  'quantity-null': 'as-one',
  'quantity-huge': 'as-number',

  'repeated-product-quantities': 'summed',
  'repeated-product-mixed-types': 'summed',
  'repeated-sku': 'summed',
  'product-and-its-sku': 'counted-apart',

  'expand-category-effect': 'categories-added',
  'expand-empty': 'ignored',
  'expand-unknown-value': 'ignored',
  'expand-not-an-array': 'rejected',

  'metadata-letter-case': 'exact',
  'order-metadata-rules': 'applied',

  'audience-rules-only-effect': 'skips-order-rules',
  'audience-rules-only-values': 'only-true',

  'filter-combination': 'intersection',
  'filter-two-metadata-keys': 'intersection',
  'filter-repeated': 'last-wins',
  'filter-unknown-campaign': 'nothing-returned',
  'filter-tier-id-as-promotion-id': 'nothing-returned',
  'filter-unknown-metadata-key': 'nothing-returned',
  'filter-empty-value': 'nothing-returned',
  'filter-unknown-operator': 'rejected',
  'filter-unknown-field': 'rejected',
  'filter-plus-sign': 'as-space',
  'filter-literal-brackets': 'same-as-encoded',
  'filter-percent-encoded': 'same-as-literal',
  'filter-without-leading-bracket': 'same-as-literal',
  'filter-metadata-typing': 'by-text',
  'filter-letter-case': 'exact',
  'filter-beyond-window': 'window-first',

  'credentials-missing-id': 'unauthorized',
  'credentials-missing-token': 'unauthorized',
  'credentials-missing-both': 'unauthorized',
  'credentials-wrong-token': 'unauthorized',
  'credentials-before-body': 'credentials-first',

  'malformed-json': 'rejected',
  'body-not-an-object': 'rejected',
  'customer-not-an-object': 'rejected',
  'items-not-an-array': 'rejected',
  'metadata-not-strings': 'answered',
  'order-metadata-not-arrays': 'answered',
  'duplicate-json-keys': 'last-wins',
  'large-order': 'answered',

  'content-type-absent': 'body-read',
  'body-length': 'body-read',
  'content-type-with-charset': 'body-read',
  'content-type-other': 'body-read',
  'method-post': 'not-allowed',
  'method-head': 'not-allowed',
  'method-options': 'not-allowed',
  'method-put': 'not-allowed',
  'method-delete': 'not-allowed',
  'path-trailing-slash': 'not-found',
  'path-letter-case': 'not-found',
};

/** The outcomes that can be chosen, the default first. */
export const closedQuestions = Object.fromEntries(
  Object.entries(defaultOutcomes).map(([question, first]) => [
    question,
    [first, ...outcomes[question as ClosedQuestion].filter((outcome) => outcome !== first)],
  ]),
) as unknown as { readonly [Q in ClosedQuestion]: readonly [Outcome<Q>, ...Outcome<Q>[]] };

/** A question whose outcome is a value. `form` describes the possible values in an error. */
interface OpenQuestion {
  readonly default: string;
  readonly canAnswer: (value: string) => boolean;
  readonly form: string;
}

const headerLines = {
  canAnswer: (value: string) => splitLines(value).every((line) => /^[a-z0-9-]+(?:: [\x20-\x7e]*)?$/.test(line)),
  form: '"name: value | name: value" with lower-case names, or "none"',
};
/** A value that is always the same, since the deployment has one shape for each kind of response. */
const createFixedValue = (value: string): OpenQuestion => ({
  default: value,
  canAnswer: (chosen) => chosen === value,
  form: `"${value}", the only one that it has`,
});

export const openQuestions = {
  'response-status': {
    default: '200',
    // 204 and 205 are successes that can carry no promotions.
    canAnswer: (value) => /^2(?!04|05)\d\d$/.test(value),
    form: 'a status from 200 to 299 that has a body',
  },
  'response-media-type': {
    default: 'application/json',
    canAnswer: (value) => /^(?:none|[\w.+-]+\/[\w.+-]+)$/.test(value),
    form: 'a media type without parameters, or "none"',
  },
  'response-shape': createFixedValue('/promotions/*/id'),
  'error-shape': createFixedValue('application/json: code, details, key, message, request_id'),
  'deprecation-headers': { default: 'none', ...headerLines },
  'rate-limit-headers': { default: 'x-rate-limit-limit | x-rate-limit-remaining | x-rate-limit-retry', ...headerLines },
  'caching-headers': { default: 'none', ...headerLines },
  'cors-headers': { default: 'none', ...headerLines },
} as const satisfies Readonly<Record<string, OpenQuestion>>;

type OpenQuestionId = keyof typeof openQuestions;

/** The questions about the shape of a kind of response. */
export const shapeQuestions = {
  list: 'response-shape',
  error: 'error-shape',
} as const satisfies Readonly<Record<string, OpenQuestionId>>;

/** Chosen outcomes by question id. All other questions keep their defaults. */
export type Behaviours = Readonly<Record<string, string>>;

/** An outcome for every question. */
export type CompleteBehaviours = { readonly [Q in ClosedQuestion]: Outcome<Q> } & {
  readonly [Q in OpenQuestionId]: string;
};

const defaults: Readonly<Record<string, string>> = Object.fromEntries([
  ...Object.entries(closedQuestions).map(([question, [first]]) => [question, first]),
  ...Object.entries(openQuestions).map(([question, open]) => [question, open.default]),
]);

/**
 * Completes chosen outcomes with the defaults.
 *
 * @throws an Error that names the nearest or the allowed ones, when a question or an outcome is unknown
 */
export function completeBehaviours(behaviours: Behaviours): CompleteBehaviours {
  for (const [question, outcome] of Object.entries(behaviours)) {
    const problem = problemOf(question, outcome);
    if (problem !== undefined) throw new Error(problem);
  }
  // Each member was just checked against the tables from which the type is made.
  return { ...defaults, ...behaviours } as CompleteBehaviours;
}

/**
 * Turns the outcomes of a record into behaviours, so that the recorded deployment can be served again.
 *
 * @returns the behaviours, and the ids of the questions whose outcome cannot be imitated: those that the record leaves
 *   `undetermined`, values that this deployment cannot send, such as another shape, and questions and outcomes that it does
 *   not know: a record may be of another version
 */
export function convertOutcomesToBehaviours(outcomes: Readonly<Record<string, string>>): {
  behaviours: Behaviours;
  inimitable: string[];
} {
  const behaviours: Record<string, string> = {};
  const left: string[] = [];
  for (const [question, outcome] of Object.entries(outcomes)) {
    if (outcome === 'undetermined' || problemOf(question, outcome) !== undefined) left.push(question);
    else behaviours[question] = outcome;
  }
  return { behaviours, inimitable: left };
}

/** Parses the text of an outcome into header lines. A line without a value is `[name]`. */
export function parseHeaderLines(text: string): readonly (readonly [name: string, value?: string])[] {
  return splitLines(text).map((line) => {
    const colon = line.indexOf(': ');
    return colon < 0 ? [line] : [line.slice(0, colon), line.slice(colon + 2)];
  });
}

function splitLines(text: string): string[] {
  // A value may hold the separator itself: only one that a header name follows separates.
  return text === 'none' ? [] : text.split(/ \| (?=[a-z0-9-]+(?:: | \| |$))/);
}

function isOpen(question: string): question is OpenQuestionId {
  return Object.hasOwn(openQuestions, question);
}

function isClosed(question: string): question is ClosedQuestion {
  return Object.hasOwn(closedQuestions, question);
}

function problemOf(question: string, outcome: string): string | undefined {
  if (isOpen(question)) {
    const { canAnswer, form } = openQuestions[question];
    if (canAnswer(outcome)) return undefined;
    return `Behaviour ${question}: cannot answer with "${outcome}"; give ${form}.`;
  }
  if (!isClosed(question)) {
    const [first, ...others] = findNearest(question, Object.keys(defaults));
    return `No question is called "${question}"; did you mean "${first}"? Near it, too: ${others.join(', ')}.`;
  }
  const outcomes: readonly string[] = closedQuestions[question];
  if (outcomes.includes(outcome)) return undefined;
  const [first] = findNearest(outcome, outcomes);
  return `Behaviour ${question} has no outcome "${outcome}"; did you mean "${first}"? It has: ${outcomes.join(', ')}.`;
}
