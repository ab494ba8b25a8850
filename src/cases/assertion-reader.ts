/**
 * Reads the assertions of a case. In: the checks of a case file, and the requests and the world of the case. Out: assertions as
 * plain data. The expected tiers are fixed here, when the case is read: a keyword such as `required` becomes a list of ids, by
 * what the documentation says of the request. The judge compares a response with that list.
 */

import type {
  Assertion,
  AssertionDefinition,
  AssertionReadContext,
  CheckInCaseFile,
  TierSelection,
} from '../assertions/assertion.js';
import { assertionDefinitions } from '../assertions/registry.js';
import { createOracle, type Obligation, type Oracle } from '../contract/oracle.js';
import { countWindowPlaces, type Tier, windowSize } from '../contract/world.js';
import type { HttpRequest } from '../http/exchange.js';
import type { YamlPath } from '../support/yaml-file.js';
import type { CaseFileChecks, CaseFileRowContext } from './case-file-context.js';
import { resolveReferences } from './request-draft.js';

/** Between the names of requests that have the same check. */
const nameSeparator = ' and ';

/** Stands for every request of the case. */
const everyRequestKey = 'every';

const alternativesKey = 'any-of';

/** Reads checks by the names of their requests: `given`, `expect`, or what shows an outcome. */
export function readChecks(checks: CaseFileChecks = {}, at: YamlPath, context: CaseFileRowContext): Assertion[] {
  return Object.entries(checks).flatMap(([key, value]): Assertion[] => {
    const path = [...at, key];
    if (key === alternativesKey) {
      const lists = (value as readonly CaseFileChecks[]).map((alternative, n) =>
        readChecks(alternative, [...path, n], context),
      );
      return [{ kind: key, at: context.file.locateKey(path), lists }];
    }
    const names = key === everyRequestKey ? context.names : key.split(nameSeparator);
    const unknown = names.filter(
      (name) => !context.checkName('request', name, context.names, path, context.file.locateKey),
    );
    for (const name of names) context.checkedNames.add(name);
    return unknown.length > 0 ? [] : readCheck(names, value as CheckInCaseFile, path, context);
  });
}

/** Reads a check of the response to each of these requests. */
function readCheck(
  names: readonly string[],
  check: CheckInCaseFile,
  at: YamlPath,
  context: CaseFileRowContext,
): Assertion[] {
  // Each kind of assertion has a key of its own, or is in a group.
  const found = Object.entries(check).flatMap(([key, value]) => {
    if (assertionDefinitions.has(key)) return [{ steps: [key], value }];
    return Object.entries(value as object).map(([member, part]) => ({ steps: [key, member], value: part }));
  });
  return found.flatMap(({ steps, value }) => {
    const kind = assertionDefinitions.get(steps.join('.')) as AssertionDefinition;
    const path: YamlPath = [...at, ...steps];
    const common = { kind: kind.key, at: context.file.locateKey(path) };
    return names.flatMap((name): Assertion[] => {
      if ('hasAlternatives' in kind) {
        const alternatives = value as readonly CheckInCaseFile[];
        return [{ ...common, lists: alternatives.map((part, n) => readCheck([name], part, [...path, n], context)) }];
      }
      const data = kind.read(value, createReadContext(name, path, context));
      return data === undefined ? [] : [{ ...common, of: name, data }];
    });
  });
}

/**
 * The keywords that select tiers by what the documentation says of a request. Each function says of a tier whether the keyword
 * selects it: `required` if it certainly does, `forbidden` if it certainly does not, and `open` if the documentation leaves it
 * open.
 */
const selectionKeywords: ReadonlyMap<string, (oracle: Oracle) => (tier: Tier) => Obligation> = new Map([
  ['required', ({ returned }) => returned],
  ['forbidden', (oracle) => (tier) => negated[oracle.returned(tier)]],
  ['valid', ({ valid }) => valid],
  ['matching', ({ matching }) => matching],
  ['newest-150', ({ checked }) => checked],
]);

/** The keyword `forbidden` selects a tier that must not be returned, and does not select one that must be returned. */
const negated = { required: 'forbidden', forbidden: 'required', open: 'open' } as const;

function createReadContext(of: string, at: YamlPath, context: CaseFileRowContext): AssertionReadContext {
  const { requests, world } = context;
  const oracle = createOracle(requests.get(of) as HttpRequest, world);
  /** Lists the tiers that are certainly selected (`required`), or certainly not (`forbidden`). */
  const selectIds = (selection: TierSelection, wanted: Obligation): string[] => {
    const isText = typeof selection === 'string';
    const ofKeyword = isText ? selectionKeywords.get(selection)?.(oracle) : undefined;
    const names = ofKeyword === undefined ? [selection].flat() : [];
    const ids = names.map((name) => world.ids.tier.get(name));
    const known = [...world.ids.tier.keys(), ...(isText ? selectionKeywords.keys() : [])];
    for (const [n, name] of names.entries()) context.checkName('tier', name, known, isText ? at : [...at, n]);
    const select = ofKeyword ?? (({ id }: Tier): Obligation => (ids.includes(id) ? 'required' : 'forbidden'));
    return world.tiers.filter((tier) => select(tier) === wanted).map(({ id }) => id);
  };
  return {
    resolveRequest: (name, ...steps) => context.findRequestName(name, [...at, ...steps]),
    selectTiers: (selection) => selectIds(selection, 'required'),
    selectReturnedTiers(selection) {
      const ids = selectIds(selection, 'required');
      // Promotions of the deployment take the places of these tiers.
      const displaced = world.tiers.slice(countWindowPlaces(world), windowSize).map(({ id }) => id);
      if (!ids.some((id) => displaced.includes(id))) return ids;
      const last = world.tiers.findLast((tier) => oracle.returned(tier) === 'required')?.id ?? [];
      return [...new Set([ids.filter((id) => !displaced.includes(id)), last].flat())];
    },
    selectOtherTiers: (selection) => selectIds(selection, 'forbidden'),
    fillReferences: (text) => resolveReferences(text, context.resolveId),
  };
}
