import type { Contract } from '../contract/contract.js';
import type { Problem } from '../support/problem.js';
import { suggest } from '../support/suggest.js';
import type { YamlFile, YamlPath } from '../support/yaml-file.js';
import { type NamedWorld, type ThingKind, thingKinds } from '../world/named-world.js';
import type { RequestDraft, ResolveId } from './request-draft.js';

/** What case files refer to. */
export interface SuiteBasis {
  readonly contract: Contract;
  readonly world: NamedWorld;
  /** The request that every case starts from. */
  readonly defaultRequest: RequestDraft;
}

/** A case file that is being read, with what its names refer to. Problems are reported to it. */
export interface CaseFileContext {
  readonly file: YamlFile;
  readonly contract: Contract;
  readonly world: NamedWorld;
  /** Reports a problem with the value at a path. */
  reportProblem(at: YamlPath, message: string, hint: string): void;
  reportKeyProblem(at: YamlPath, message: string, hint: string): void;
  /** Returns the name of a request; if it is missing or unknown, reports a problem and returns another name. */
  findRequestName(name: string | undefined, at: YamlPath, known: readonly string[]): string;
  /** Returns the id of a name in `<kind name>`; if there is none, reports a problem wherever the file has this text. */
  readonly resolveId: ResolveId;
}

/** @param problems reported problems are added to it */
export function createCaseFileContext(
  file: YamlFile,
  { contract, world }: SuiteBasis,
  problems: Problem[],
): CaseFileContext {
  const reportProblem: CaseFileContext['reportProblem'] = (at, message, hint) =>
    problems.push({ at: file.locate(at), message, hint });
  return {
    file,
    contract,
    world,
    reportProblem,
    reportKeyProblem: (at, message, hint) => problems.push({ at: file.locateKey(at), message, hint }),
    findRequestName(name, at, known) {
      const [first = ''] = known;
      if (name !== undefined && known.includes(name)) return name;
      if (name !== undefined) reportProblem(at, `unknown request '${name}'`, suggest(name, known));
      else if (known.length > 1) reportProblem(at, 'no request is named', `Add 'of:' with one of ${known.join(', ')}.`);
      return first;
    },
    resolveId(kind, name) {
      const ids = isThingKind(kind) ? world.ids[kind] : undefined;
      const id = ids?.get(name);
      if (id !== undefined) return id;
      const [message, hint] =
        ids === undefined
          ? [`unknown kind '${kind}' in <${kind} ${name}>`, suggest(kind, thingKinds)]
          : [`unknown ${kind} '${name}'`, suggest(name, [...ids.keys()])];
      // `filter: { campaign: spring }` names the campaign without brackets.
      const references = file.locateTexts(`<${kind} ${name}>`);
      for (const at of references.length > 0 ? references : file.locateTexts(name))
        problems.push({ at, message, hint });
      return name;
    },
  };
}

function isThingKind(kind: string): kind is ThingKind {
  return (thingKinds as readonly string[]).includes(kind);
}
