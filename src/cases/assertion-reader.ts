import { listAlternativeTiers } from '../assertions/alternative-tiers.js';
import type { Assertion, AssertionKind, CheckEntry, ReadContext } from '../assertions/assertion.js';
import { assertionKinds } from '../assertions/registry.js';
import { resolveSelection, type TierSelection } from '../assertions/tier-selection.js';
import type { Obligation } from '../contract/oracle.js';
import { isJsonObject } from '../support/json.js';
import { suggest } from '../support/suggest.js';
import type { YamlPath } from '../support/yaml-file.js';
import { getWindowSize, windowSize } from '../world/named-world.js';
import type { CaseFileContext } from './case-file-context.js';
import { resolveReferences } from './request-draft.js';
import type { PreparedRequest } from './row-reader.js';

/** A check, or several that all hold. */
export type Checks = CheckEntry | readonly CheckEntry[];

/** `given` or `expect`: a list of checks, or checks by the name of the request. */
export type Expectations = readonly CheckEntry[] | Readonly<Record<string, Checks>>;

type Requests = ReadonlyMap<string, PreparedRequest>;

export interface AssertionReader {
  /** @param requests the requests of the row that the checks are about */
  read(checks: Checks, at: YamlPath, requests: Requests): Assertion[];
  /** Reads `given` or `expect`. */
  readExpectations(expectations: Expectations, at: YamlPath, requests: Requests): Assertion[];
}

export function createAssertionReader(context: CaseFileContext): AssertionReader {
  const { world } = context;
  /** The tiers whose places promotions of the deployment take. */
  const displaced = new Set(world.tiers.slice(getWindowSize(world), windowSize).map(({ id }) => id));

  const createReadContext = (of: string, at: YamlPath, requests: Requests): ReadContext => {
    const { oracle } = requests.get(of) as PreparedRequest;
    const selectIds = (selection: TierSelection, wanted: Obligation): string[] => {
      const { selects, unknown } = resolveSelection(selection, oracle, world);
      for (const { at: steps, message, hint } of unknown) context.reportProblem([...at, ...steps], message, hint);
      return world.tiers.filter((tier) => selects(tier) === wanted).map(({ id }) => id);
    };
    /** A displaced tier stands for the last one that is checked and required. */
    const replaceDisplaced = (ids: string[]): string[] => {
      const kept = ids.filter((id) => !displaced.has(id));
      const last = world.tiers.findLast((tier) => oracle.returned(tier) === 'required')?.id;
      return kept.length === ids.length ? ids : [...new Set([...kept, ...(last === undefined ? [] : [last])])];
    };
    return {
      resolveRequest: (name, ...steps) => context.findRequestName(name, [...at, ...steps], [...requests.keys()]),
      selectTiers: (selection) => selectIds(selection, 'required'),
      selectReturnedTiers: (selection) => replaceDisplaced(selectIds(selection, 'required')),
      selectOtherTiers: (selection) => selectIds(selection, 'forbidden'),
      fillReferences: (text) => resolveReferences(text, context.resolveId),
      listAlternatives: (name = of) => listAlternativeTiers((requests.get(name) as PreparedRequest).oracle, world),
      listOpenTiers: () => world.tiers.filter((tier) => oracle.returned(tier) === 'open').map(({ id }) => id),
    };
  };

  const readOne = ({ of, ...statements }: CheckEntry, at: YamlPath, requests: Requests): Assertion[] => {
    const found = listStatements(statements);
    if (found.length === 0) context.reportProblem(at, 'the check states nothing', 'Add status, body or returned.');
    return found.flatMap(({ kind, steps, value }): Assertion[] => {
      const path: YamlPath = [...at, ...steps];
      const common = { kind: kind.key, at: context.file.locateKey(path) };
      if ('combine' in kind) {
        const lists = (value as CheckEntry[]).map((each, n) => readOne(each, [...path, n], requests));
        return [{ ...common, lists }];
      }
      return [of].flat().flatMap((stated, n) => {
        const ofPath: YamlPath = stated === undefined ? at : typeof of === 'string' ? [...at, 'of'] : [...at, 'of', n];
        const name = context.findRequestName(stated, ofPath, [...requests.keys()]);
        const data = kind.read(value, createReadContext(name, path, requests));
        return data === undefined ? [] : [{ ...common, of: name, data }];
      });
    });
  };

  const reader: AssertionReader = {
    read: (checks, at, requests) =>
      isList(checks)
        ? checks.flatMap((entry, n) => readOne(entry, [...at, n], requests))
        : readOne(checks, at, requests),
    readExpectations: (expectations, at, requests) => {
      if (isList(expectations)) return reader.read(expectations, at, requests);
      return Object.entries(expectations).flatMap(([name, checks]) => {
        const known = [...requests.keys()];
        if (!known.includes(name)) {
          context.reportKeyProblem([...at, name], `unknown request '${name}'`, suggest(name, known));
          return [];
        }
        const about = isList(checks) ? checks.map((check) => ({ ...check, of: name })) : { ...checks, of: name };
        return reader.read(about, [...at, name], requests);
      });
    },
  };
  return reader;
}

function isList(checks: Checks | Expectations): checks is readonly CheckEntry[] {
  return Array.isArray(checks);
}

/** Lists the statements of a check with their assertion kinds: each has a key of its own, or is in a group. */
function listStatements(
  check: Readonly<Record<string, unknown>>,
): { kind: AssertionKind; steps: readonly string[]; value: unknown }[] {
  return Object.entries(check).flatMap(([key, value]) => {
    const kind = assertionKinds.get(key);
    if (kind !== undefined) return [{ kind, steps: [key], value }];
    return Object.entries(isJsonObject(value) ? value : {}).flatMap(([member, part]) => {
      const inGroup = assertionKinds.get(`${key}.${member}`);
      return inGroup === undefined ? [] : [{ kind: inGroup, steps: [key, member], value: part }];
    });
  });
}
