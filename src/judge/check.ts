import type { Check, Claim } from '../cases/case.js';
import { type Exchange, type HttpResponse, headerValues } from '../http/exchange.js';
import { foundIn, type KnownIds, type Naming, type Reading, type Result, resultOf } from '../recognition/recognise.js';
import { parseJson } from '../support/json.js';
import { compileSchema } from '../support/stated-schema.js';
import type { World } from '../world/world.js';

/** Whether a check holds. `unclear`: the exchanges neither prove nor refute it. */
export type Truth =
  | { readonly is: 'holds' }
  | { readonly is: 'violated' | 'unclear'; readonly because: string; readonly of: string };

/**
 * How exchanges are held against checks. For a requirement, an answer without success says nothing of the result,
 * and a refusal of the configured credentials says nothing at all. For a question such answers are what is asked for.
 */
export type Mode = 'requirement' | 'question';

/** Everything that checks of one row are held against. */
export interface Evidence {
  readonly exchanges: ReadonlyMap<string, Exchange>;
  readonly reading: Reading;
  readonly world: World;
  /** The tiers that a response names. */
  naming(response: HttpResponse): Naming;
}

const holds: Truth = { is: 'holds' };

const known = new WeakMap<World, KnownIds>();

/** The ids that responses of a deployment which holds the world may name: for one world always the same object. */
export function knownIds(world: World): KnownIds {
  const ids = known.get(world) ?? idsOf(world);
  known.set(world, ids);
  return ids;
}

function idsOf(world: World): KnownIds {
  return {
    tiers: new Set(world.tiers.map(({ id }) => id)),
    keys: new Set([
      ...[world.customers, world.products, world.skus].flatMap((list) => list.map(({ id }) => id)),
      ...[...world.categories, ...world.campaigns].flatMap(({ id, name }) => [id, name]),
    ]),
  };
}

/** Holds one check against the exchanges of its row. Pure: the same evidence gives the same truth. */
export function evaluate(check: Check, evidence: Evidence, mode: Mode): Truth {
  if (check.claim === 'any-of') {
    const truths = check.alternatives.map((checks) => allOf(checks, evidence, mode));
    return truths.find(({ is }) => is === 'holds') ?? truths.find(({ is }) => is === 'unclear') ?? (truths[0] as Truth);
  }
  const seen = seenOf(check.of, evidence, mode);
  const verdict = 'because' in seen ? unclear(seen.because) : claimHolds(check, seen, evidence, mode);
  return verdict === true ? holds : { ...verdict, of: check.of };
}

/** Whether all of some checks hold: violated as soon as one is, whatever the others. */
export function allOf(checks: readonly Check[], evidence: Evidence, mode: Mode): Truth {
  const truths = checks.map((check) => evaluate(check, evidence, mode));
  return truths.find(({ is }) => is === 'violated') ?? truths.find(({ is }) => is === 'unclear') ?? holds;
}

type Answered = Extract<Exchange, { response: unknown }>;
type Doubt = { readonly is: 'violated' | 'unclear'; readonly because: string };

const violated = (because: string): Doubt => ({ is: 'violated', because });
const unclear = (because: string): Doubt => ({ is: 'unclear', because });

/** Whether a response says success (2xx), so that its body is a result. */
export function succeeded({ status }: HttpResponse): boolean {
  return status >= 200 && status < 300;
}

/** Statuses that speak of the way to the deployment or of its load, not of the request. */
const passing: Readonly<Record<number, string>> = {
  408: 'the deployment gave up waiting for the request',
  429: 'the deployment limits the rate of requests; send fewer per second',
  502: 'a gateway got no good answer from the deployment',
  503: 'the deployment is not available',
  504: 'a gateway got no answer from the deployment in time',
};

/** Why an exchange shows nothing about the deployment, if so: trouble on the way, or load. */
export function troubleOf(exchange: Exchange): string | undefined {
  if (!('response' in exchange)) return exchange.message;
  const { status } = exchange.response;
  return status in passing ? `Answered ${status}: ${passing[status]}.` : undefined;
}

/** That a response refuses the configured credentials, in words; undefined where it does not. */
export function credentialsRefused({ status }: HttpResponse): string | undefined {
  if (status !== 401 && status !== 403) return undefined;
  return `Answered ${status}: the credentials are probably wrong. Check CLIENT_APPLICATION_ID and CLIENT_TOKEN.`;
}

/** The exchange with its response, or why it shows nothing. */
function seenOf(name: string, { exchanges }: Evidence, mode: Mode): Answered | { because: string } {
  const exchange = exchanges.get(name);
  if (exchange === undefined) throw new Error(`There is no exchange '${name}'.`);
  const trouble = troubleOf(exchange);
  if (!('response' in exchange) || trouble !== undefined) return { because: trouble ?? '' };
  const { status, headers } = exchange.response;
  if (mode === 'question') return exchange;
  if (status >= 300 && status < 400) {
    const to = headerValues(headers, 'location')[0];
    return {
      because: `Redirected (${status})${to === undefined ? '' : ` to ${to}`}; redirects are not followed. Is the base URL right?`,
    };
  }
  const refused = credentialsRefused(exchange.response);
  if (refused !== undefined) return { because: refused };
  return exchange;
}

function claimHolds(claim: Claim & { of: string }, answered: Answered, evidence: Evidence, mode: Mode): true | Doubt {
  const { response } = answered;
  switch (claim.claim) {
    case 'status':
      return (
        claim.patterns.some((pattern) => statusMatches(response.status, pattern)) ||
        violated(`Answered ${response.status}, expected ${claim.patterns.join(' or ')}.`)
      );
    case 'same-status':
    case 'other-status': {
      const other = seenOf(claim.other, evidence, mode);
      if ('because' in other) return unclear(`'${claim.other}': ${other.because}`);
      const same = other.response.status === response.status;
      return (
        same === (claim.claim === 'same-status') ||
        violated(`Answered ${response.status}, '${claim.other}' ${other.response.status}.`)
      );
    }
    case 'header': {
      const values = headerValues(response.headers, claim.name);
      const { matches } = claim;
      const found =
        values.length > 0 && (matches === undefined || values.some((value) => new RegExp(matches, 'u').test(value)));
      const seen = values.length === 0 ? 'absent' : `'${values.join(', ')}'`;
      return found === claim.present || violated(`The header ${claim.name} is ${seen}.`);
    }
    case 'body-schema': {
      const value = parseJson(response.body);
      if (value === undefined) return violated('The body is not JSON.');
      const validate = compileSchema(claim.schema);
      if (validate(value)) return true;
      const error = validate.errors?.[0];
      return violated(`The body does not fit the schema at ${error?.instancePath || 'its root'}: ${error?.message}.`);
    }
    case 'same-body':
    case 'other-body': {
      const other = seenOf(claim.other, evidence, mode);
      if ('because' in other) return unclear(`'${claim.other}': ${other.because}`);
      const same = response.body === other.response.body;
      return (
        same === (claim.claim === 'same-body') ||
        violated(`The body ${same ? 'equals' : 'differs from'} that of '${claim.other}'.`)
      );
    }
    case 'body-empty':
      return response.body === '' || violated(`The body has ${response.body.length} characters.`);
    case 'mentions':
    case 'mentions-not': {
      const found = claim.texts.some((text) => response.body.includes(text));
      return (
        found === (claim.claim === 'mentions') ||
        violated(`The body names ${found ? 'at least one' : 'none'} of ${claim.texts.length}.`)
      );
    }
    case 'accepted': {
      if (succeeded(response)) return true;
      const { unless } = claim;
      const empty = unclear(`Answered ${response.status}, which may be how an empty result looks.`);
      if (unless.is === 'empty') return empty;
      const other = seenOf(unless.other, evidence, mode);
      if ('because' in other) return unclear(`'${unless.other}': ${other.because}`);
      const both = `Answered ${response.status}, and '${unless.other}' ${other.response.status}.`;
      if (unless.is === 'as-empty') return other.response.status === response.status ? unclear(both) : violated(both);
      // Rules that nobody knows may ask that something is not there.
      if (response.status === 404) return empty;
      return succeeded(other.response) ? violated(both) : unclear(both);
    }
    case 'found-at-most':
    case 'found-within':
      return foundHolds(claim, answered, evidence, mode);
    default:
      return resultHolds(claim, answered, evidence, mode);
  }
}

type ResultClaim = Extract<
  Claim,
  {
    claim:
      | 'include'
      | 'exclude'
      | 'exactly'
      | 'same-as'
      | 'within'
      | 'differs-from'
      | 'something'
      | 'nothing'
      | 'at-most'
      | 'ordered';
  }
>;

function resultHolds(claim: ResultClaim, answered: Answered, evidence: Evidence, mode: Mode): true | Doubt {
  const { status } = answered.response;
  const naming = evidence.naming(answered.response);
  if (!succeeded(answered.response)) {
    // An empty result may look like anything, and what is named nowhere was not returned.
    const expectsNothing =
      ['nothing', 'exclude'].includes(claim.claim) || (claim.claim === 'exactly' && claim.must.size === 0);
    const { returned, unclear: doubtful } = resultOf(naming, evidence.reading);
    // Where it is stated what counts, what else is named does not.
    const namesNothing =
      naming.unplaced.size + doubtful.size === 0 &&
      (evidence.reading.kind === 'stated' ? returned.length === 0 : naming.places.size === 0);
    if (mode === 'requirement' && expectsNothing && namesNothing) return true;
    const because = `Answered ${status}, so there is no result to judge.`;
    return mode === 'requirement' ? unclear(because) : violated(because);
  }
  if (naming.places.size === 0 && isBrokenJson(answered.response))
    return unclear('The body is no valid JSON, though it is meant to be, so it shows no result.');
  const result = resultOf(naming, evidence.reading);
  const names = namesFor(evidence.world);
  switch (claim.claim) {
    case 'include':
      return membership(result, claim.tiers, [], names);
    case 'exclude':
      return membership(result, [], claim.tiers, names);
    case 'exactly': {
      const unexpected = evidence.world.tiers
        .map(({ id }) => id)
        .filter((id) => !claim.may.has(id) && !claim.must.has(id));
      return membership(result, [...claim.must], unexpected, names);
    }
    case 'something':
      if (result.returned.length > 0) return true;
      return result.unclear.size > 0 ? unclear(result.because) : violated('No promotion was returned.');
    case 'nothing':
      return membership(
        result,
        [],
        evidence.world.tiers.map(({ id }) => id),
        names,
      );
    case 'at-most': {
      if (result.returned.length > claim.count)
        return violated(`${result.returned.length} promotions were returned, more than ${claim.count}.`);
      return result.returned.length + result.unclear.size <= claim.count || unclear(result.because);
    }
    case 'ordered': {
      if (result.unclear.size > 0) return unclear(result.because);
      if (result.returned.length < 2) return unclear('Fewer than two promotions were returned, so they show no order.');
      const newestFirst = evidence.world.tiers.map(({ id }) => id).filter((id) => result.returned.includes(id));
      const wanted = claim.order === 'newest-first' ? newestFirst : newestFirst.reverse();
      return (
        wanted.every((id, n) => id === result.returned[n]) || violated(`The promotions do not stand ${claim.order}.`)
      );
    }
    default: {
      const other = seenOf(claim.other, evidence, mode);
      if ('because' in other) return unclear(`'${claim.other}': ${other.because}`);
      if (!succeeded(other.response)) {
        return unclear(
          `'${claim.other}' was answered ${other.response.status}, so there is no result to compare with.`,
        );
      }
      return related(claim, result, resultOf(evidence.naming(other.response), evidence.reading), names);
    }
  }
}

/** What is found where promotions are named counts, whether it is known or not. Nothing found shows nothing. */
function foundHolds(
  claim: Extract<Claim, { claim: 'found-at-most' | 'found-within' }>,
  { response }: Answered,
  evidence: Evidence,
  mode: Mode,
): true | Doubt {
  const { reading, world } = evidence;
  const ids = knownIds(world);
  if (!succeeded(response)) return unclear(`Answered ${response.status}, so there is no result to judge.`);
  if (reading.kind === 'ambiguous' || reading.kind === 'misstated')
    return unclear(resultOf(evidence.naming(response), reading).because);
  if (reading.kind === 'agreed' && reading.patterns.length === 0)
    return unclear(
      'Where the responses name promotions is not known. Say it in a target file: response: { tier: /promotions/*/id }',
    );
  const found = foundIn(response.body, reading, ids);
  if (found.length === 0) return unclear('No promotion was returned, so there is nothing to judge.');
  if (claim.claim === 'found-at-most') {
    if (found.length <= claim.count) return true;
    const because = `${found.length} promotions were returned, more than ${claim.count}.`;
    // Beside promotions, something else may stand there, unless somebody says that it does not.
    return reading.kind === 'stated' ? violated(because) : unclear(because);
  }
  const other = seenOf(claim.other, evidence, mode);
  if ('because' in other) return unclear(`'${claim.other}': ${other.because}`);
  if (!succeeded(other.response))
    return unclear(`'${claim.other}' was answered ${other.response.status}, so there is no result to compare with.`);
  const there = new Set([...foundIn(other.response.body, reading, ids), ...claim.may]);
  const extra = found.filter((id) => !there.has(id)).length;
  // A filter may be applied before the window is taken, and then shows older ones.
  return (
    extra === 0 ||
    unclear(`${extra} of ${found.length} promotions are not in '${claim.other}'; they may be older ones.`)
  );
}

/** Whether a body says that it is JSON, by its media type or by how it begins, and is none: cut off, for instance. */
function isBrokenJson({ headers, body }: HttpResponse): boolean {
  const announced = headerValues(headers, 'content-type').some((type) => /^[^;]*[/+]json\b/i.test(type));
  return body.trim() !== '' && (announced || /^\s*[[{]/.test(body)) && parseJson(body) === undefined;
}

function membership(
  result: Result,
  wanted: readonly string[],
  unwanted: readonly string[],
  names: Names,
): true | Doubt {
  const returned = new Set(result.returned);
  const absent = wanted.filter((id) => !returned.has(id) && !result.unclear.has(id));
  const extra = unwanted.filter((id) => returned.has(id));
  if (absent.length > 0 || extra.length > 0) {
    const told = [
      ...(absent.length > 0 ? [`Not returned: ${names(absent)}.`] : []),
      ...(extra.length > 0 ? [`Returned, but should not be: ${names(extra)}.`] : []),
    ];
    return violated(told.join(' '));
  }
  const open = [...wanted, ...unwanted].some((id) => result.unclear.has(id));
  return open ? unclear(result.because) : true;
}

function related(
  { claim, other }: Extract<ResultClaim, { other: string }>,
  one: Result,
  two: Result,
  names: Names,
): true | Doubt {
  if (one.unclear.size > 0) return unclear(one.because);
  if (two.unclear.size > 0) return unclear(two.because);
  const onlyHere = one.returned.filter((id) => !two.returned.includes(id));
  const onlyThere = two.returned.filter((id) => !one.returned.includes(id));
  const differences = [
    ...(onlyHere.length > 0 ? [`Returned here and not in '${other}': ${names(onlyHere)}.`] : []),
    ...(onlyThere.length > 0 && claim !== 'within'
      ? [`Returned in '${other}' and not here: ${names(onlyThere)}.`]
      : []),
  ];
  if (claim === 'differs-from')
    return differences.length > 0 || violated(`The same promotions were returned as in '${other}'.`);
  return differences.length === 0 || violated(differences.join(' '));
}

type Names = (ids: readonly string[]) => string;

/** Names tiers for people: the first few by name and rank, the rest by number. */
function namesFor(world: World): Names {
  const shown = 5;
  return (ids) => {
    const named = ids.slice(0, shown).map((id) => {
      const index = world.tiers.findIndex((tier) => tier.id === id);
      return `'${world.tiers[index]?.name}' (rank ${index + 1})`;
    });
    return `${named.join(', ')}${ids.length > shown ? ` and ${ids.length - shown} more` : ''}`;
  };
}

/** `2xx`, `404`. */
function statusMatches(status: number, pattern: string): boolean {
  return pattern.endsWith('xx') ? String(status).startsWith(pattern.slice(0, 1)) : String(status) === pattern;
}
