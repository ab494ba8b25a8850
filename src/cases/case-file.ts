import type { Ledger, Question } from '../contract/ledger.js';
import { oracleFor, whyUndocumented } from '../contract/oracle.js';
import { contentOf } from '../http/request-content.js';
import type { Problem } from '../support/problem.js';
import { schemaProblems } from '../support/schema.js';
import { suggest } from '../support/suggest.js';
import type { Path, YamlFile } from '../support/yaml-file.js';
import { type Kind, kinds, type NamedWorld } from '../world/world-file.js';
import type { Case, Check, OutcomeRule, QuestionAnswer, Relation, Row, Taken, Unless } from './case.js';
import { type Asking, requirementProblems } from './checks.js';
import {
  assembled,
  documentedRequest,
  patched,
  type RequestParts,
  type RequestPatch,
  type Resolve,
  resolved,
} from './request.js';
import { type Selection, selected } from './selection.js';
import { missingFor } from './unavailable.js';

interface CaseFileDocument {
  base?: RequestPatch;
  shared?: {
    requests?: Record<string, RequestPatch>;
    given?: CheckEntry[];
    outcomes?: Record<string, CheckEntry | CheckEntry[]>;
  };
  cases: CaseEntry[];
}

interface CaseEntry {
  id?: string;
  verifies?: string;
  answers?: string;
  title: string;
  tags?: string[];
  request?: RequestPatch;
  requests?: Record<string, RequestPatch>;
  matrix?: Record<string, Record<string, Record<string, RequestPatch>>>;
  given?: CheckEntry[];
  expect?: CheckEntry[];
  outcomes?: Record<string, CheckEntry | CheckEntry[]>;
  value?: {
    of?: string;
    take: 'status' | 'media-type' | 'shape' | 'error-shape' | 'headers';
    values?: string[];
    names?: string[];
  };
}

interface CheckEntry {
  of?: string | string[];
  status?: number | string | (number | string)[] | { 'same-as'?: string; 'differs-from'?: string };
  header?: { name: string; matches?: string; present?: boolean };
  body?: {
    schema?: object | boolean;
    'same-as'?: string;
    'differs-from'?: string;
    empty?: true;
    mentions?: string[];
    'mentions-not'?: string[];
  };
  returned?: {
    include?: Selection;
    exclude?: Selection;
    exactly?: Selection;
    'same-as'?: string;
    within?: string;
    'differs-from'?: string;
    anything?: true;
    nothing?: true;
    'at-most'?: number;
    order?: 'newest-first' | 'oldest-first';
  };
  accepted?: 'unless-empty' | { 'as-is': string } | { 'unless-as': string };
  found?: { 'at-most'?: number; within?: string };
  'any-of'?: CheckEntry[][];
}

/**
 * Reads the cases of a parsed case file: checks it against its schema, replaces names by ids, expands matrices into
 * rows and selections into sets of tiers.
 *
 * @returns the cases, and every problem of the file; with problems the cases are not fit to be run
 */
export function readCaseFile(
  file: YamlFile,
  ledger: Ledger,
  world: NamedWorld,
): { cases: Case[]; problems: Problem[] } {
  const problems = schemaProblems('cases', file);
  if (problems.length > 0) return { cases: [], problems };
  return new CaseFileReader(file, ledger, world).read();
}

class CaseFileReader {
  private readonly problems: Problem[] = [];
  private readonly document: CaseFileDocument;
  private readonly base: RequestParts;
  /** Places of selections, and whether they meant any tier in any row. */
  private readonly selections = new Map<string, { at: Path; meant: boolean }>();

  constructor(
    private readonly file: YamlFile,
    private readonly ledger: Ledger,
    private readonly world: NamedWorld,
  ) {
    this.document = file.value as CaseFileDocument;
    this.base = patched(documentedRequest, this.document.base ?? {});
  }

  read(): { cases: Case[]; problems: Problem[] } {
    const cases = this.document.cases.flatMap((entry, index) => this.readCase(entry, ['cases', index]) ?? []);
    for (const { at, meant } of this.selections.values()) {
      if (!meant) this.problem(at, 'no tier of the world is meant, so this can never apply', 'Choose others.');
    }
    return { cases, problems: this.problems };
  }

  private problem(at: Path, message: string, hint: string): void {
    this.problems.push({ at: this.file.at(at), message, hint });
  }

  private readCase(entry: CaseEntry, at: Path): Case | undefined {
    const common = { title: entry.title, at: this.file.at(at) };
    if (entry.answers !== undefined) {
      const question = this.ledger.questions.find(({ id }) => id === entry.answers);
      if (question === undefined)
        return this.unknown('question', entry.answers, [...at, 'answers'], this.ledger.questions);
      const [asked] = this.readRows(entry, at);
      if (asked === undefined) return undefined;
      const given = this.readGiven(entry, at, asked.asking);
      const tags = ['question', question.id, ...(entry.tags ?? [])];
      const answer = this.readAnswer(entry, question, at, asked.asking);
      return {
        kind: 'question',
        id: question.id,
        answers: question.id,
        ...common,
        tags,
        given,
        answer,
        ...this.wired(asked.asking, [...given, ...checksOf(answer)], 'question'),
      };
    }
    const requirement = this.ledger.requirements.find(({ id }) => id === entry.verifies);
    if (requirement === undefined) {
      return this.unknown('requirement', entry.verifies ?? '', [...at, 'verifies'], this.ledger.requirements);
    }
    const rows = this.readRows(entry, at).map((row): Row => {
      const given = this.readGiven(entry, at, row.asking);
      const expect = this.readChecks(entry.expect ?? [], [...at, 'expect'], row.asking);
      this.problems.push(
        ...requirementProblems(
          { title: row.title, at: this.file.at(at), given, expect, asking: row.asking },
          this.world.world,
        ),
      );
      return { title: row.title, given, expect, ...this.wired(row.asking, [...given, ...expect], 'requirement') };
    });
    const tags = [requirement.id, ...(entry.tags ?? [])];
    return { kind: 'requirement', id: entry.id ?? '', verifies: requirement.id, ...common, tags, rows };
  }

  private wired(
    asking: ReadonlyMap<string, Asking>,
    checks: readonly Check[],
    mode: 'requirement' | 'question',
  ): Pick<Row, 'requests' | 'missing'> {
    const requests = new Map([...asking].map(([name, { http }]) => [name, http]));
    const promises = new Map([...asking].map(([name, { promised }]) => [name, promised]));
    return { requests, missing: missingFor({ requests, checks, promises, mode }, this.world) };
  }

  private unknown(kind: string, id: string, at: Path, known: readonly { id: string }[]): undefined {
    this.problem(
      at,
      `there is no ${kind} '${id}' in the ledger`,
      suggest(
        id,
        known.map((entry) => entry.id),
      ),
    );
  }

  /** The rows of a case: every combination of one variant from each axis of its matrix. */
  private readRows(entry: CaseEntry, at: Path): { title: string; asking: Map<string, Asking> }[] {
    const entries: { name: string; patch: RequestPatch; at: Path }[] = [
      ...listed(this.document.shared?.requests, ['shared', 'requests']),
      ...(entry.request === undefined ? [] : [{ name: 'request', patch: entry.request, at: [...at, 'request'] }]),
      ...listed(entry.requests, [...at, 'requests']),
    ];
    if (entries.length === 0) {
      this.problem(at, 'the case sends nothing', "Add 'request: {}' to send the base request, or 'requests:'.");
      return [];
    }
    const names = entries.map(({ name }) => name);
    let rows: { titles: string[]; patches: Record<string, RequestPatch>[] }[] = [{ titles: [], patches: [] }];
    for (const [axis, variants] of Object.entries(entry.matrix ?? {})) {
      for (const [title, patches] of Object.entries(variants)) {
        for (const name of Object.keys(patches)) {
          if (name === 'every' || names.includes(name)) continue;
          this.problems.push({
            at: this.file.atKey([...at, 'matrix', axis, title, name]),
            message: `there is no request '${name}'`,
            hint: suggest(name, ['every', ...names]),
          });
        }
      }
      rows = rows.flatMap(({ titles, patches }) =>
        Object.entries(variants).map(([title, patch]) => ({
          titles: [...titles, title],
          patches: [...patches, patch],
        })),
      );
    }
    return rows.map(({ titles, patches }) => {
      const parts = new Map<string, RequestParts>();
      for (const { name, patch, at } of entries) {
        const start = patch.like === undefined ? this.base : parts.get(patch.like);
        if (start === undefined) {
          this.problem(
            [...at, 'like'],
            `there is no earlier request '${patch.like}'`,
            suggest(patch.like ?? '', [...parts.keys()]),
          );
        }
        if (patch.raw !== undefined && 'body' in patch) {
          this.problem([...at, 'raw'], 'a request has either body or raw', 'Leave out one of them.');
        }
        const own = patched(start ?? this.base, patch);
        parts.set(
          name,
          patches.reduce(
            (request, variant) => patched(patched(request, variant.every ?? {}), variant[name] ?? {}),
            own,
          ),
        );
      }
      const asking = new Map<string, Asking>();
      for (const { name, at } of entries) {
        const http = assembled(parts.get(name) as RequestParts, this.resolve);
        const undocumented = entry.verifies === undefined ? undefined : whyUndocumented(contentOf(http));
        if (undocumented !== undefined) {
          this.problem(
            at,
            `a requirement cannot rest on this request: ${undocumented}`,
            'Ask a question with it instead, or hint it.',
          );
        }
        asking.set(name, { http, promised: oracleFor(http, this.world.world) });
      }
      return { title: titles.join(', '), asking };
    });
  }

  /** Resolves a reference, and notes a problem wherever the file has it when it leads nowhere. */
  private readonly resolve: Resolve = (kind, name) => {
    const id = isKind(kind) ? this.world.ids[kind].get(name) : undefined;
    if (id !== undefined) return id;
    const [message, hint] = isKind(kind)
      ? [`there is no ${kind} '${name}' in the world`, suggest(name, [...this.world.ids[kind].keys()])]
      : [`there is no kind '${kind}' as in <${kind} ${name}>`, suggest(kind, kinds)];
    for (const at of this.file.holding(`<${kind} ${name}>`)) this.problems.push({ at, message, hint });
    return name;
  };

  private readGiven(entry: CaseEntry, at: Path, asking: ReadonlyMap<string, Asking>): Check[] {
    return [
      ...this.readChecks(this.document.shared?.given ?? [], ['shared', 'given'], asking),
      ...this.readChecks(entry.given ?? [], [...at, 'given'], asking),
    ];
  }

  private readAnswer(
    entry: CaseEntry,
    question: Question,
    at: Path,
    asking: ReadonlyMap<string, Asking>,
  ): QuestionAnswer {
    if (entry.value !== undefined) {
      const { of, take, values = [], names = [] } = entry.value;
      const where: Path = [...at, 'value'];
      if (question.answer.kind !== 'value') {
        this.problem(where, `the ledger lists outcomes for '${question.id}'`, "Say 'outcomes:' instead.");
      }
      const taken: Taken = take === 'headers' ? { part: take, values, names } : { part: take };
      return {
        kind: 'value',
        of: this.exchangeName(of, [...where, 'of'], asking),
        take: taken,
        at: this.file.at(where),
      };
    }
    const known = question.answer.kind === 'outcomes' ? [...question.answer.outcomes.keys()] : [];
    if (known.length === 0) {
      this.problem([...at, 'outcomes'], `the answer to '${question.id}' is an open value`, "Say 'value:' instead.");
    }
    const shared = Object.entries(this.document.shared?.outcomes ?? {})
      .filter(([outcome]) => known.includes(outcome) && !Object.hasOwn(entry.outcomes ?? {}, outcome))
      .map(([outcome, checks]) => ({ outcome, checks, at: ['shared', 'outcomes', outcome] as Path }));
    const own = Object.entries(entry.outcomes ?? {}).map(([outcome, checks]) => ({
      outcome,
      checks,
      at: [...at, 'outcomes', outcome] as Path,
    }));
    for (const { outcome, at } of own) {
      if (known.length > 0 && !known.includes(outcome))
        this.problems.push({
          at: this.file.atKey(at),
          message: `'${question.id}' has no outcome '${outcome}' in the ledger`,
          hint: suggest(outcome, known),
        });
    }
    const lacking = known.filter((outcome) => ![...shared, ...own].some((rule) => rule.outcome === outcome));
    if (lacking.length > 0) {
      this.problem([...at, 'outcomes'], `nothing tells the outcome '${lacking.join("', '")}'`, 'Add a rule for it.');
    }
    const rules = [...shared, ...own].map(
      ({ outcome, checks, at }): OutcomeRule => ({
        outcome,
        checks: this.readChecks([checks].flat(), at, asking, Array.isArray(checks)),
      }),
    );
    return { kind: 'first-of', rules };
  }

  /** @param isList whether the entries stand in a list, or are the only one and stand for themselves */
  private readChecks(
    entries: readonly CheckEntry[],
    at: Path,
    asking: ReadonlyMap<string, Asking>,
    isList = true,
  ): Check[] {
    return entries.flatMap((entry, n) => this.readCheck(entry, isList ? [...at, n] : at, asking));
  }

  private readCheck(entry: CheckEntry, at: Path, asking: ReadonlyMap<string, Asking>): Check[] {
    const { of, 'any-of': anyOf, ...claims } = entry;
    const alternatives: Check[] =
      anyOf === undefined
        ? []
        : [
            {
              claim: 'any-of',
              at: this.file.atKey([...at, 'any-of']),
              alternatives: anyOf.map((checks, n) => this.readChecks(checks, [...at, 'any-of', n], asking)),
            },
          ];
    if (Object.keys(claims).length === 0) {
      if (anyOf === undefined) this.problem(at, 'a check that claims nothing', 'Add status, header, body or returned.');
      return alternatives;
    }
    const names = Array.isArray(of) ? of : [of];
    return [
      ...alternatives,
      ...names.flatMap((name, n) =>
        this.readClaims(
          claims,
          at,
          this.exchangeName(name, name === undefined ? [...at, 'of'] : [...at, 'of', n], asking),
          asking,
        ),
      ),
    ];
  }

  private exchangeName(name: string | undefined, at: Path, asking: ReadonlyMap<string, Asking>): string {
    const known = [...asking.keys()];
    if (name === undefined) {
      if (known.length > 1)
        this.problem(
          at.slice(0, -1),
          'which request is meant is not said',
          `Add 'of:' with one of ${known.join(', ')}.`,
        );
      return known[0] as string;
    }
    if (!known.includes(name)) {
      this.problem(at, `there is no request '${name}'`, suggest(name, known));
      return known[0] as string;
    }
    return name;
  }

  private readClaims(
    { status, header, body, returned, accepted, found }: CheckEntry,
    at: Path,
    of: string,
    asking: ReadonlyMap<string, Asking>,
  ): Check[] {
    const checks: Check[] = [];
    const where = (...steps: string[]) => ({ of, at: this.file.atKey([...at, ...steps]) });
    const other = (name: string, ...steps: string[]) => this.exchangeName(name, [...at, ...steps], asking);

    if (typeof status === 'object' && !Array.isArray(status)) {
      const { 'same-as': same, 'differs-from': differs } = status;
      if (same !== undefined)
        checks.push({ ...where('status'), claim: 'same-status', other: other(same, 'status', 'same-as') });
      if (differs !== undefined) {
        checks.push({ ...where('status'), claim: 'other-status', other: other(differs, 'status', 'differs-from') });
      }
    } else if (status !== undefined) {
      checks.push({ ...where('status'), claim: 'status', patterns: [status].flat().map(String) });
    }
    if (header !== undefined) {
      const { name, matches, present = true } = header;
      checks.push({
        ...where('header'),
        claim: 'header',
        name,
        present,
        ...(matches === undefined ? {} : { matches }),
      });
    }
    if (body !== undefined) {
      const fill = (texts: string[]) => texts.map((text) => resolved(text, this.resolve));
      const { schema, empty, mentions, 'mentions-not': mentionsNot, 'same-as': same, 'differs-from': differs } = body;
      if (schema !== undefined) checks.push({ ...where('body', 'schema'), claim: 'body-schema', schema });
      if (empty !== undefined) checks.push({ ...where('body', 'empty'), claim: 'body-empty' });
      if (mentions !== undefined)
        checks.push({ ...where('body', 'mentions'), claim: 'mentions', texts: fill(mentions) });
      if (mentionsNot !== undefined) {
        checks.push({
          ...where('body', 'mentions-not'),
          claim: 'mentions-not',
          texts: fill(mentionsNot),
        });
      }
      if (same !== undefined)
        checks.push({ ...where('body', 'same-as'), claim: 'same-body', other: other(same, 'body', 'same-as') });
      if (differs !== undefined) {
        checks.push({
          ...where('body', 'differs-from'),
          claim: 'other-body',
          other: other(differs, 'body', 'differs-from'),
        });
      }
    }
    if (accepted !== undefined) {
      const unless = (): Unless => {
        if (typeof accepted === 'string') return { is: 'empty' };
        if ('as-is' in accepted) return { is: 'as-is', other: other(accepted['as-is'], 'accepted', 'as-is') };
        return { is: 'as-empty', other: other(accepted['unless-as'], 'accepted', 'unless-as') };
      };
      checks.push({ ...where('accepted'), claim: 'accepted', unless: unless() });
    }
    const { 'at-most': count, within } = found ?? {};
    if (count !== undefined) checks.push({ ...where('found', 'at-most'), claim: 'found-at-most', count });
    if (within !== undefined) {
      const { promised } = asking.get(of) as Asking;
      const open = this.world.world.tiers.filter((tier) => promised.returned(tier) === 'open').map(({ id }) => id);
      checks.push({
        ...where('found', 'within'),
        claim: 'found-within',
        other: other(within, 'found', 'within'),
        may: open,
      });
    }
    return [...checks, ...this.readReturned(returned ?? {}, [...at, 'returned'], of, asking)];
  }

  private readReturned(
    returned: NonNullable<CheckEntry['returned']>,
    at: Path,
    of: string,
    asking: ReadonlyMap<string, Asking>,
  ): Check[] {
    const checks: Check[] = [];
    const where = (key: string) => ({ of, at: this.file.atKey([...at, key]) });
    const { promised } = asking.get(of) as Asking;
    const select = (selection: Selection, key: string) => {
      const { standing, problems } = selected(selection, this.world, promised);
      for (const { at: steps, message, hint } of problems) this.problem([...at, key, ...steps], message, hint);
      const tiers = this.world.world.tiers;
      const with_ = (wanted: string) =>
        tiers.filter((tier, index) => standing(tier, index + 1) === wanted).map(({ id }) => id);
      return { yes: with_('yes'), open: with_('open'), unknown: problems.length > 0 };
    };
    for (const claim of ['include', 'exclude'] as const) {
      const selection = returned[claim];
      if (selection === undefined) continue;
      const { yes: tiers, unknown } = select(selection, claim);
      const place = [...at, claim];
      const before = this.selections.get(place.join('/'))?.meant ?? false;
      this.selections.set(place.join('/'), { at: place, meant: before || unknown || tiers.length > 0 });
      if (tiers.length > 0) checks.push({ ...where(claim), claim, tiers });
    }
    if (returned.exactly !== undefined) {
      const { yes, open } = select(returned.exactly, 'exactly');
      checks.push({ ...where('exactly'), claim: 'exactly', must: new Set(yes), may: new Set(open) });
    }
    for (const claim of ['same-as', 'within', 'differs-from'] as const satisfies readonly Relation[]) {
      const name = returned[claim];
      if (name === undefined) continue;
      checks.push({ ...where(claim), claim, other: this.exchangeName(name, [...at, claim], asking) });
    }
    if (returned.anything !== undefined) checks.push({ ...where('anything'), claim: 'something' });
    if (returned.nothing !== undefined) checks.push({ ...where('nothing'), claim: 'nothing' });
    if (returned['at-most'] !== undefined)
      checks.push({ ...where('at-most'), claim: 'at-most', count: returned['at-most'] });
    if (returned.order !== undefined) checks.push({ ...where('order'), claim: 'ordered', order: returned.order });
    return checks;
  }
}

function listed(
  requests: Record<string, RequestPatch> | undefined,
  at: Path,
): { name: string; patch: RequestPatch; at: Path }[] {
  return Object.entries(requests ?? {}).map(([name, patch]) => ({ name, patch, at: [...at, name] }));
}

function checksOf(answer: QuestionAnswer): Check[] {
  return answer.kind === 'value' ? [] : answer.rules.flatMap(({ checks }) => checks);
}

function isKind(kind: string): kind is Kind {
  return (kinds as readonly string[]).includes(kind);
}
