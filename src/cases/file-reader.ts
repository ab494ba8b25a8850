import type { Ledger } from '../contract/ledger.js';
import type { Location, Problem } from '../support/problem.js';
import { suggest } from '../support/suggest.js';
import type { Path, YamlFile } from '../support/yaml-file.js';
import { type Kind, kinds, type NamedWorld } from '../world/named-world.js';
import type { Resolve } from './request.js';

/** A case file that is being read: what reading it rests on, and where their problems go. */
export interface FileReader {
  readonly file: YamlFile;
  readonly ledger: Ledger;
  readonly world: NamedWorld;
  /** Notes a problem with the value at a path. */
  problem(at: Path, message: string, hint: string): void;
  /** Notes a problem with the key at a path. */
  keyProblem(at: Path, message: string, hint: string): void;
  /** The name of a request, if there is one; otherwise a problem is noted, and another's name is returned. */
  requestName(name: string | undefined, at: Path, known: readonly string[]): string;
  /** Resolves a reference to an id; a problem is noted wherever the file has it when it leads nowhere. */
  readonly resolve: Resolve;
}

/** Begins to read a file. @param problems grows by what is found wrong */
export function fileReader(file: YamlFile, ledger: Ledger, world: NamedWorld, problems: Problem[]): FileReader {
  const note = (at: Location, message: string, hint: string) => problems.push({ at, message, hint });
  const problem = (at: Path, message: string, hint: string) => note(file.at(at), message, hint);
  return {
    file,
    ledger,
    world,
    problem,
    keyProblem: (at, message, hint) => note(file.atKey(at), message, hint),
    requestName(name, at, known) {
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
    resolve(kind, name) {
      const id = isKind(kind) ? world.ids[kind].get(name) : undefined;
      if (id !== undefined) return id;
      const [message, hint] = isKind(kind)
        ? [`there is no ${kind} '${name}' in the world`, suggest(name, [...world.ids[kind].keys()])]
        : [`there is no kind '${kind}' as in <${kind} ${name}>`, suggest(kind, kinds)];
      for (const at of file.textsWith(`<${kind} ${name}>`)) note(at, message, hint);
      return name;
    },
  };
}

function isKind(kind: string): kind is Kind {
  return (kinds as readonly string[]).includes(kind);
}
