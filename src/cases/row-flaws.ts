import type { Assertion, AssertionFlaw, RequestWithOracle } from '../assertions/assertion.js';
import { assertionDefinitions, findResponseAssertionDefinition } from '../assertions/registry.js';
import { findNoRequiredTierFlaw, questionCaseHint } from '../assertions/requirement-flaws.js';
import { createOracle } from '../contract/oracle.js';
import type { World } from '../contract/world.js';
import { encodeQueryText, parseRequest } from '../http/decoded-request.js';
import { findRefusableEncoding, type HttpRequest } from '../http/exchange.js';
import type { Location, Problem } from '../support/problem.js';
import { shorten } from '../support/untrusted-text.js';
import type { RequirementRow } from './test-case.js';

function explainQuestionsOnly({ kind }: Assertion): AssertionFlaw {
  const keys = [...assertionDefinitions.values()].flatMap((known) => ('findFlaw' in known ? [known.key] : []));
  const hint = `A requirement can use ${keys.join(', ')}. Or: ${questionCaseHint}`;
  return { message: `a requirement cannot use '${kind}', which is for questions only`, hint };
}

/**
 * Finds what might fail a conforming deployment, or pass on nothing: a request that is not documented, an expectation that
 * does not follow from the documentation, and a negative one without its positive control.
 */
export function findRowFlaws(
  { title, requests, given, expect }: Omit<RequirementRow, 'unavailable'>,
  at: Location,
  world: World,
): Problem[] {
  const inRow = title === '' ? '' : ` (row '${title}')`;
  const flaws: Problem[] = [];
  const report = (where: Location, message: string, hint: string) =>
    flaws.push({ at: where, message: message + inRow, hint });
  const all = [...given, ...expect];
  const judged = new Set(all.flatMap((assertion) => ('of' in assertion ? assertion.of : [...requests.keys()])));
  const getRequest = (name: string): RequestWithOracle => {
    judged.add(name);
    const http = requests.get(name) as HttpRequest;
    return { name, http, oracle: createOracle(http, world) };
  };
  for (const assertion of expect) {
    if ('lists' in assertion) {
      report(assertion.at, 'a requirement cannot expect alternatives', questionCaseHint);
      continue;
    }
    const context = { ...getRequest(assertion.of), getRequest, world };
    const { shows, findFlaw } = findResponseAssertionDefinition(assertion);
    const flaw = findFlaw === undefined ? explainQuestionsOnly(assertion) : findFlaw(assertion.data, context);
    if (flaw !== undefined) report(assertion.at, flaw.message, flaw.hint);
    // If the result may be empty, the control must be another request.
    const mayBeEmpty = findNoRequiredTierFlaw(context) !== undefined;
    const isControl = (control: Assertion) =>
      'of' in control &&
      (mayBeEmpty || control.of === assertion.of) &&
      findResponseAssertionDefinition(control).shows === 'presence';
    if (shows !== 'absence' || all.some(isControl)) continue;
    const hint = `Add 'returned: { include: … }' of ${mayBeEmpty ? "a request that returns something, in 'given:'" : 'the same request'}.`;
    report(assertion.at, 'a negative expectation needs a positive control: an empty response would satisfy it', hint);
  }
  if (expect.length === 0) report(at, 'the case expects nothing', "Add 'expect:'.");
  const unusual = [...requests.values()].find((http) => !isOrdinary(http));
  const ordinary = `Write the parameters in a list, and send at most 8 KB of URL and 64 KB of body. Or: ${questionCaseHint}`;
  if (unusual !== undefined)
    report(at, `ordinary clients do not send this request: ${shorten(unusual.path, 200)}`, ordinary);
  // A request that no assertion is about comes only before others, and may be one that deployments refuse.
  const undocumented = [...judged].flatMap((name): Problem[] => {
    const { undocumentedReason } = getRequest(name).oracle;
    if (undocumentedReason === undefined) return [];
    const message = `a requirement cannot rest on this request: ${undocumentedReason}${inRow}`;
    return [{ at, message, hint: `Correct the request. Or: ${questionCaseHint}` }];
  });
  return [...undocumented, ...flaws];
}

/**
 * Whether any HTTP library would send this request: its query is encoded as by the WHATWG URL standard, with a space as %20,
 * and it is not long. A case that rests on any other request must not fail if that is refused.
 */
function isOrdinary(http: HttpRequest): boolean {
  const { path, query } = parseRequest(http);
  const encoded = query.map((pair) => pair.map(encodeQueryText).join('=')).join('&');
  const isShort = http.path.length <= 8 * 1024 && Buffer.byteLength(http.body ?? '') <= 64 * 1024;
  return (
    isShort &&
    (http.path === (encoded === '' ? path : `${path}?${encoded}`) || findRefusableEncoding(http) !== undefined)
  );
}
