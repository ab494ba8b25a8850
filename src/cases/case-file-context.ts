import type { Contract } from '../contract/contract.js';
import type { Location, Problem } from '../support/problem.js';
import { suggest } from '../support/suggest.js';
import type { YamlFile, YamlPath } from '../support/yaml-file.js';
import { type NamedWorld, type ThingKind, thingKinds } from '../world/named-world.js';
import type { ResolveId } from './request-draft.js';

/** A case file that is being read: what reading it rests on, and where their problems go. */
export interface CaseFileContext {
  readonly file: YamlFile;
  readonly contract: Contract;
  readonly world: NamedWorld;
  /** Notes a problem with the value at a path. */
  reportProblem(at: YamlPath, message: string, hint: string): void;
  /** Notes a problem with the key at a path. */
  reportKeyProblem(at: YamlPath, message: string, hint: string): void;
  /** The name of a request, if there is one; otherwise a problem is noted, and another's name is returned. */
  findRequestName(name: string | undefined, at: YamlPath, known: readonly string[]): string;
  /** Resolves a reference to an id; a problem is noted wherever the file has it when it leads nowhere. */
  readonly resolveId: ResolveId;
}

/** Begins to read a file. @param problems grows by what is found wrong */
export function createCaseFileContext(
  file: YamlFile,
  ledger: Contract,
  world: NamedWorld,
  problems: Problem[],
): CaseFileContext {
  const note = (at: Location, message: string, hint: string) => problems.push({ at, message, hint });
  const problem = (at: YamlPath, message: string, hint: string) => note(file.locate(at), message, hint);
  return {
    file,
    contract: ledger,
    world,
    reportProblem: problem,
    reportKeyProblem: (at, message, hint) => note(file.locateKey(at), message, hint),
    findRequestName(name, at, known) {
      const [first = ''] = known;
      if (name === undefined) {
        if (known.length > 1)
          problem(at, 'which request is meant is not said', `Add 'of:' with one of ${known.join(', ')}.`);
        return first;
      }
      if (known.includes(name)) return name;
      problem(at, `there is no request '${name}'`, suggest(name, known));
      return first;
    },
    resolveId(kind, name) {
      const id = isKind(kind) ? world.ids[kind].get(name) : undefined;
      if (id !== undefined) return id;
      const [message, hint] = isKind(kind)
        ? [`there is no ${kind} '${name}' in the world`, suggest(name, [...world.ids[kind].keys()])]
        : [`there is no kind '${kind}' as in <${kind} ${name}>`, suggest(kind, thingKinds)];
      for (const at of file.locateTexts(`<${kind} ${name}>`)) note(at, message, hint);
      return name;
    },
  };
}

function isKind(kind: string): kind is ThingKind {
  return (thingKinds as readonly string[]).includes(kind);
}
