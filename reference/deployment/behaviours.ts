import { findNearest } from './find-nearest.js';

const credentialsOutcomes = [
  'unauthorized',
  'forbidden',
  'rejected',
  'server-error',
  'answered',
  'nothing-returned',
] as const;
const methodOutcomes = [
  'not-allowed',
  'not-found',
  'rejected',
  'not-implemented',
  'server-error',
  'redirected',
] as const;
const pathOutcomes = [
  'not-found',
  'not-allowed',
  'rejected',
  'not-implemented',
  'server-error',
  'redirected',
  'same-result',
  'another-answer',
] as const;

/**
 * Every question with named outcomes, and the outcomes that the reference deployment can show. The first outcome is the
 * default: what the vendor publishes about a real deployment, or else the mildest outcome.
 */
export const closedQuestions = {
  'empty-result': ['empty-list', 'no-content', 'not-found', 'rejected', 'server-error', 'empty-body'],
  'result-order': ['newest-first', 'oldest-first', 'another-order'],
  'result-repetition': ['once', 'more-than-once', 'more-than-once-with-expand', 'more-than-once-with-a-filter'],
  repeatability: ['identical', 'same-promotions', 'different-promotions'],

  'omitted-customer': [
    'as-anybody',
    'rejected',
    'server-error',
    'audience-rules-pass',
    'nothing-returned',
    'depends-on-earlier-requests',
  ],
  'omitted-order': [
    'as-empty-order',
    'rejected',
    'server-error',
    'order-rules-pass',
    'nothing-returned',
    'depends-on-earlier-requests',
  ],
  'omitted-metadata': [
    'as-empty-metadata',
    'rejected',
    'server-error',
    'metadata-rules-pass',
    'nothing-returned',
    'depends-on-earlier-requests',
  ],
  'omitted-options': ['no-difference', 'rejected', 'server-error', 'nothing-returned'],
  'omitted-order-metadata': ['no-difference', 'rejected', 'server-error', 'nothing-returned'],
  'empty-object': ['as-anybody', 'rejected', 'server-error', 'rules-pass', 'nothing-returned'],
  'absent-body': ['as-anybody', 'rejected', 'server-error', 'rules-pass', 'nothing-returned'],
  'empty-items': ['as-empty-order', 'rejected', 'server-error', 'order-rules-pass', 'nothing-returned'],
  'missing-quantity': ['as-one', 'rejected', 'server-error', 'as-unlimited', 'item-ignored'],
  'item-without-id': ['item-ignored', 'rejected', 'server-error', 'order-ignored'],
  'item-with-both-ids': ['both-count', 'rejected', 'server-error', 'product-only', 'sku-only', 'item-ignored'],

  'unknown-customer': [
    'as-anybody',
    'not-found',
    'rejected',
    'server-error',
    'audience-rules-pass',
    'nothing-returned',
  ],
  'unknown-product': ['item-ignored', 'not-found', 'rejected', 'server-error', 'order-ignored'],
  'unknown-sku': ['item-ignored', 'not-found', 'rejected', 'server-error', 'order-ignored'],
  'unknown-body-member': ['ignored', 'rejected', 'server-error', 'nothing-returned'],
  'unknown-query-parameter': ['ignored', 'rejected', 'server-error', 'nothing-returned'],

  'quantity-numeric-string': ['as-number', 'rejected', 'server-error', 'as-unlimited', 'as-one', 'item-ignored'],
  'quantity-non-numeric-string': ['rejected', 'server-error', 'as-unlimited', 'as-one', 'item-ignored'],
  'quantity-empty-string': ['rejected', 'server-error', 'as-unlimited', 'as-one', 'item-ignored'],
  'quantity-zero': ['item-ignored', 'rejected', 'server-error', 'as-unlimited', 'as-one'],
  'quantity-negative': ['rejected', 'server-error', 'as-unlimited', 'as-absolute', 'as-one', 'item-ignored'],
  'quantity-fraction': ['rejected', 'server-error', 'as-unlimited', 'rounded-up', 'as-two', 'as-one', 'item-ignored'],
  'quantity-null': ['as-one', 'rejected', 'server-error', 'as-unlimited', 'item-ignored'],
  'quantity-huge': ['as-number', 'rejected', 'server-error', 'as-one', 'item-ignored'],

  'repeated-product-quantities': ['summed', 'each-item-alone', 'first-item', 'last-item'],
  'repeated-product-mixed-types': [
    'summed',
    'rejected',
    'server-error',
    'concatenated',
    'each-item-alone',
    'number-only',
    'item-ignored',
  ],
  'repeated-sku': ['summed', 'rejected', 'server-error', 'each-item-alone', 'first-item', 'last-item'],
  'product-and-its-sku': ['counted-apart', 'rejected', 'server-error', 'summed', 'sku-counts-as-its-product'],

  'expand-category-effect': ['categories-added', 'categories-always', 'no-difference', 'another-difference'],
  'expand-empty': ['ignored', 'rejected', 'server-error', 'nothing-returned'],
  'expand-unknown-value': ['ignored', 'rejected', 'server-error', 'nothing-returned'],
  'expand-not-an-array': ['rejected', 'server-error', 'as-one-value', 'ignored', 'nothing-returned', 'no-effect'],

  'metadata-letter-case': ['exact', 'ignored-in-both', 'ignored-in-value', 'ignored-in-key'],
  'order-metadata-rules': [
    'applied',
    'applied-to-parts',
    'applied-to-metadata-too',
    'first-value',
    'last-value',
    'ignored',
    'never-satisfied',
  ],

  'audience-rules-only-effect': ['skips-order-rules', 'audience-tiers-only', 'no-effect', 'nothing-returned'],
  'audience-rules-only-values': [
    'only-true',
    'server-error',
    'others-rejected',
    'any-value',
    'truthy',
    'any-letter-case',
    'some-rejected',
    'no-effect',
    'any-text',
    'another-choice',
  ],

  'filter-combination': [
    'intersection',
    'rejected',
    'server-error',
    'union',
    'promotion-id-wins',
    'metadata-wins',
    'nothing-returned',
  ],
  'filter-two-metadata-keys': [
    'intersection',
    'rejected',
    'server-error',
    'union',
    'first-wins',
    'last-wins',
    'nothing-returned',
  ],
  'filter-repeated': ['last-wins', 'rejected', 'server-error', 'union', 'first-wins', 'ignored', 'nothing-returned'],
  'filter-unknown-campaign': ['nothing-returned', 'not-found', 'rejected', 'server-error', 'ignored'],
  'filter-tier-id-as-promotion-id': [
    'nothing-returned',
    'not-found',
    'rejected',
    'server-error',
    'that-tier',
    'its-campaign',
    'ignored',
  ],
  'filter-unknown-metadata-key': ['nothing-returned', 'not-found', 'rejected', 'server-error', 'ignored'],
  'filter-empty-value': ['nothing-returned', 'not-found', 'rejected', 'server-error', 'ignored'],
  'filter-unknown-operator': ['rejected', 'server-error', 'negated', 'as-is', 'ignored', 'nothing-returned'],
  'filter-unknown-field': ['rejected', 'server-error', 'ignored', 'nothing-returned'],
  'filter-plus-sign': ['as-space', 'as-plus-sign', 'rejected', 'server-error', 'ignored'],
  'filter-literal-brackets': ['same-as-encoded', 'rejected', 'server-error', 'ignored', 'nothing-returned'],
  'filter-percent-encoded': ['same-as-literal', 'rejected', 'server-error', 'ignored', 'nothing-returned'],
  'filter-without-leading-bracket': ['same-as-literal', 'rejected', 'server-error', 'ignored', 'nothing-returned'],
  'filter-metadata-typing': ['by-text', 'rejected', 'server-error', 'booleans-only', 'numbers-only', 'strings-only'],
  'filter-letter-case': ['exact', 'rejected', 'server-error', 'ignored-in-both', 'ignored-in-value', 'ignored-in-key'],
  'filter-beyond-window': [
    'window-first',
    'rejected',
    'server-error',
    'filter-first',
    'campaign-filter-first',
    'metadata-filter-first',
  ],

  'credentials-missing-id': credentialsOutcomes,
  'credentials-missing-token': credentialsOutcomes,
  'credentials-missing-both': credentialsOutcomes,
  'credentials-wrong-token': credentialsOutcomes,
  'credentials-before-body': [
    'credentials-first',
    'same-answer',
    'body-first',
    'credentials-unchecked',
    'body-unchecked',
  ],

  'malformed-json': ['rejected', 'server-error', 'answered'],
  'body-not-an-object': ['rejected', 'server-error', 'answered'],
  'customer-not-an-object': ['rejected', 'server-error', 'as-its-id', 'as-anybody', 'nothing-returned'],
  'items-not-an-array': ['rejected', 'server-error', 'as-one-item', 'item-ignored'],
  'metadata-not-strings': ['answered', 'rejected', 'server-error'],
  'order-metadata-not-arrays': ['answered', 'rejected', 'server-error'],
  'duplicate-json-keys': ['last-wins', 'rejected', 'server-error', 'first-wins'],
  'large-order': ['answered', 'too-large', 'rejected', 'server-error'],

  'content-type-absent': ['body-read', 'unsupported-media-type', 'rejected', 'server-error', 'body-ignored'],
  'body-length': ['body-read', 'too-large', 'rejected', 'server-error', 'body-ignored'],
  'content-type-with-charset': ['body-read', 'unsupported-media-type', 'rejected', 'server-error', 'body-ignored'],
  'content-type-other': ['body-read', 'unsupported-media-type', 'rejected', 'server-error', 'body-ignored'],
  'method-post': [...methodOutcomes, 'same-result', 'another-answer'],
  'method-head': [...methodOutcomes, 'answered'],
  'method-options': [...methodOutcomes, 'answered'],
  'method-put': [...methodOutcomes, 'answered'],
  'method-delete': [...methodOutcomes, 'answered'],
  'path-trailing-slash': pathOutcomes,
  'path-letter-case': pathOutcomes,
} as const satisfies Readonly<Record<string, readonly [string, ...string[]]>>;

export type ClosedQuestion = keyof typeof closedQuestions;
export type Outcome<Q extends ClosedQuestion> = (typeof closedQuestions)[Q][number];

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
const anything = { canAnswer: () => true, form: 'anything' };

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
  'response-shape': { default: '/promotions/*/id', ...anything },
  'error-shape': { default: 'application/json: code, details, key, message, request_id', ...anything },
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

/** The questions whose outcome this deployment cannot choose: it has one shape only. */
export const fixedQuestions: readonly string[] = Object.values(shapeQuestions);

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
 *   `undetermined`, those of {@link fixedQuestions} that differ from this deployment's own, values it cannot send, and
 *   questions and outcomes that it does not know: a record may be of another version
 */
export function convertOutcomesToBehaviours(outcomes: Readonly<Record<string, string>>): {
  behaviours: Behaviours;
  inimitable: string[];
} {
  const behaviours: Record<string, string> = {};
  const left: string[] = [];
  for (const [question, outcome] of Object.entries(outcomes)) {
    if (isLeftOut(question, outcome) || problemOf(question, outcome) !== undefined) left.push(question);
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

function isLeftOut(question: string, outcome: string): boolean {
  if (!Object.hasOwn(defaults, question)) return false;
  return outcome === 'undetermined' || (fixedQuestions.includes(question) && outcome !== defaults[question]);
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
