import { listAlternativeTiers } from '../assertions/alternative-tiers.js';
import type { Assertion, AssertionKind, CheckEntry, ReadContext } from '../assertions/assertion.js';
import { assertionKinds } from '../assertions/registry.js';
import { resolveSelection, type TierSelection } from '../assertions/tier-selection.js';
import type { Obligation } from '../contract/oracle.js';
import { isJsonObject } from '../support/json.js';
import type { YamlPath } from '../support/yaml-file.js';
import type { CaseFileContext } from './case-file-context.js';
import { resolveReferences } from './request-draft.js';
import type { PreparedRequest } from './row-reader.js';

/** A check, or several that all hold, as a case file has them under one key. */
export type Checks = CheckEntry | readonly CheckEntry[];

/** Reads the assertions of a file. */
export interface AssertionReader {
  /** @param requests those of the row; the assertions are about them */
  read(checks: Checks, at: YamlPath, requests: ReadonlyMap<string, PreparedRequest>): Assertion[];
  /** The places of selections that meant no tier in any row that was read: they can never apply. */
  listIdleSelections(): YamlPath[];
}

export function createAssertionReader(reader: CaseFileContext): AssertionReader {
  const selections = new Map<string, { at: YamlPath; isMeant: boolean }>();

  const contextFor = (of: string, at: YamlPath, requests: ReadonlyMap<string, PreparedRequest>): ReadContext => {
    const { oracle } = requests.get(of) as PreparedRequest;
    const { tiers } = reader.world;
    const idsWith = (selection: TierSelection, wanted: Obligation): string[] => {
      const { selects, unknown } = resolveSelection(selection, oracle, reader.world);
      for (const { at: steps, message, hint } of unknown) reader.reportProblem([...at, ...steps], message, hint);
      const ids = tiers.filter((tier) => selects(tier) === wanted).map(({ id }) => id);
      const before = selections.get(at.join('/'))?.isMeant ?? false;
      selections.set(at.join('/'), { at, isMeant: before || unknown.length > 0 || ids.length > 0 });
      return ids;
    };
    return {
      resolveRequest: (name, ...steps) => reader.findRequestName(name, [...at, ...steps], [...requests.keys()]),
      selectTiers: (selection) => idsWith(selection, 'required'),
      selectOtherTiers: (selection) => idsWith(selection, 'forbidden'),
      fillReferences: (text) => resolveReferences(text, reader.resolveId),
      listAlternatives: (name = of) =>
        listAlternativeTiers((requests.get(name) as PreparedRequest).oracle, reader.world),
      listOpenTiers: () => tiers.filter((tier) => oracle.returned(tier) === 'open').map(({ id }) => id),
    };
  };

  const readOne = (
    { of, ...statements }: CheckEntry,
    at: YamlPath,
    requests: ReadonlyMap<string, PreparedRequest>,
  ): Assertion[] => {
    const found = statementsOf(statements);
    if (found.length === 0) reader.reportProblem(at, 'a check that says nothing', 'Add status, body or returned.');
    return found.flatMap(({ kind, steps, value }): Assertion[] => {
      const place = { kind: kind.key, at: reader.file.locateKey([...at, ...steps]) };
      if ('combine' in kind) {
        const lists = (value as CheckEntry[]).map((each, n) => readOne(each, [...at, ...steps, n], requests));
        return [{ ...place, lists }];
      }
      return namesIn(of, at).flatMap((name) => {
        const request = reader.findRequestName(name.name, name.at, [...requests.keys()]);
        const data = kind.read(value, contextFor(request, [...at, ...steps], requests));
        return data === undefined ? [] : [{ ...place, of: request, data }];
      });
    });
  };

  return {
    read: (checks, at, requests) =>
      isList(checks)
        ? checks.flatMap((entry, n) => readOne(entry, [...at, n], requests))
        : readOne(checks, at, requests),
    listIdleSelections: () => [...selections.values()].filter(({ isMeant }) => !isMeant).map(({ at }) => at),
  };
}

function isList(checks: Checks): checks is readonly CheckEntry[] {
  return Array.isArray(checks);
}

/** The names that `of` gives, each with its place; a single undefined one where there is no `of`. */
function namesIn(of: CheckEntry['of'], at: YamlPath): { name: string | undefined; at: YamlPath }[] {
  if (of === undefined) return [{ name: undefined, at }];
  if (typeof of === 'string') return [{ name: of, at: [...at, 'of'] }];
  return of.map((name, n) => ({ name, at: [...at, 'of', n] }));
}

/** What a check says, by the kinds of assertions: some stand under a key of their own, some within a group. */
function statementsOf(
  statements: Readonly<Record<string, unknown>>,
): { kind: AssertionKind; steps: readonly string[]; value: unknown }[] {
  return Object.entries(statements).flatMap(([key, value]) => {
    const kind = assertionKinds.get(key);
    if (kind !== undefined) return [{ kind, steps: [key], value }];
    return Object.entries(isJsonObject(value) ? value : {}).flatMap(([member, part]) => {
      const inGroup = assertionKinds.get(`${key}.${member}`);
      return inGroup === undefined ? [] : [{ kind: inGroup, steps: [key, member], value: part }];
    });
  });
}
