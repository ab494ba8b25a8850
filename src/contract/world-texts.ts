import { type Location, type Problem, suggestName } from '../support/problem.js';
import { toOneLine } from '../support/untrusted-text.js';
import type { YamlFile, YamlPath } from '../support/yaml-file.js';

/** The parts of a world file that contain texts. */
export interface TextDocument {
  readonly tiers: readonly {
    readonly called?: string;
    readonly each?: object;
    readonly metadata?: object;
    readonly rules?: object;
  }[];
  readonly texts?: Readonly<Record<string, TextSource>>;
  readonly variants?: Readonly<Record<string, Replacements>>;
}

type TextSource = string | readonly TextPart[] | ChangedText;
type TextPart = string | { readonly repeat: string; readonly times: number };
interface ChangedText {
  readonly of: string;
  readonly replace: Replacements;
}

/** Parts of a text, and what stands there instead: in this order, and at all places. */
type Replacements = Readonly<Record<string, string>>;

/** A whole key or value that stands for a text, or for a variant of it. */
const reference = /^<text ([^ <>]*)(?: ([^ <>]*))?>$/;
const cutVariant = /^cut-at-([1-9]\d{0,3})$/;

/** Returns a location. To find the place of what an alias repeats takes a millisecond, so it is found for problems alone. */
type Locate = () => Location;

/** The texts of a world file by their names. Each problem with a text, or with a reference to one, is reported. */
export class WorldTexts {
  private readonly texts = new Map<string, string>();
  private readonly variants: Readonly<Record<string, Replacements>>;
  private readonly usedTexts = new Set<string>();
  private readonly usedVariants = new Set<string>();

  /** Reads the texts. Each may refer to those above it. */
  constructor(
    { texts = {}, variants = {} }: TextDocument,
    private readonly file: YamlFile,
    private readonly report: (problem: Problem) => void,
  ) {
    this.variants = variants;
    for (const [name, source] of Object.entries(texts)) this.addText(name, source);
  }

  /** Returns the text that a key or a value stands for: itself, if it is no reference. */
  read(text: string, locate: Locate): string {
    const [, name, variant] = reference.exec(text) ?? [];
    if (name !== undefined)
      return (variant === undefined ? this.find(name, locate) : this.vary(name, variant, locate)) ?? text;
    const message = `'${toOneLine(text)}' has other characters beside a reference`;
    const hint = "Put the parts in a list under 'texts', and refer to that text.";
    if (text.includes('<text ')) this.report({ at: locate(), message, hint });
    return text;
  }

  /** Reports the texts and variants that nothing has referred to. */
  reportUnused(): void {
    const report = (kind: 'text' | 'variant', name: string) => {
      const at = this.file.locateKey([`${kind}s`, name]);
      this.report({ at, message: `nothing uses the ${kind} '${name}'`, hint: 'Remove it.' });
    };
    for (const name of this.texts.keys()) if (!this.usedTexts.has(name)) report('text', name);
    for (const name of Object.keys(this.variants)) if (!this.usedVariants.has(name)) report('variant', name);
  }

  private addText(name: string, source: TextSource): void {
    const text = this.readSource(source, ['texts', name]);
    const [equal] = [...this.texts].find(([, earlier]) => earlier === text) ?? [];
    if (equal !== undefined) {
      const message = `the text '${name}' is equal to the text '${equal}'`;
      this.report({ at: this.file.locateKey(['texts', name]), message, hint: `Remove it, and write <text ${equal}>.` });
    }
    this.texts.set(name, text);
  }

  private readSource(source: TextSource, at: YamlPath): string {
    if (typeof source === 'string') return this.readPart(source, at);
    if ('of' in source) return this.readChangedText(source, at);
    return source.map((part, n) => this.readPart(part, [...at, n])).join('');
  }

  private readPart(part: TextPart, at: YamlPath): string {
    return typeof part === 'string' ? this.read(part, () => this.file.locate(at)) : part.repeat.repeat(part.times);
  }

  private readChangedText({ of, replace }: ChangedText, at: YamlPath): string {
    const text = this.find(of, () => this.file.locate([...at, 'of']));
    if (text === undefined) return of;
    for (const part of Object.keys(replace)) {
      if (text.includes(part)) continue;
      const place = this.file.locateKey([...at, 'replace', part]);
      const message = `the text '${of}' does not contain '${toOneLine(part)}'`;
      this.report({ at: place, message, hint: 'State a part of the text.' });
    }
    return replaceParts(text, replace);
  }

  private find(name: string, locate: Locate): string | undefined {
    this.usedTexts.add(name);
    const text = this.texts.get(name);
    if (text !== undefined) return text;
    const hint = suggestName(name, [...this.texts.keys()]);
    this.report({ at: locate(), message: `there is no text '${name}' above`, hint });
    return undefined;
  }

  private vary(name: string, variant: string, locate: Locate): string | undefined {
    const text = this.find(name, locate);
    if (text === undefined) return undefined;
    this.usedVariants.add(variant);
    const varied = this.applyVariant(text, variant);
    if (varied === undefined) {
      const hint = suggestName(variant, [...Object.keys(this.variants), 'cut-at-64']);
      this.report({ at: locate(), message: `there is no variant '${variant}'`, hint });
    }
    if (varied === text) {
      const message = `the variant '${variant}' does not change the text '${name}'`;
      this.report({ at: locate(), message, hint: `Write <text ${name}>, or another variant.` });
    }
    return varied;
  }

  private applyVariant(text: string, variant: string): string | undefined {
    const length = cutVariant.exec(variant)?.[1];
    if (length !== undefined) return cutText(text, Number(length));
    return Object.hasOwn(this.variants, variant) ? replaceParts(text, this.variants[variant] ?? {}) : undefined;
  }
}

function replaceParts(text: string, replacements: Replacements): string {
  return Object.entries(replacements).reduce((changed, [from, to]) => changed.replaceAll(from, () => to), text);
}

/** @param length in characters: one outside the Basic Multilingual Plane counts once */
function cutText(text: string, length: number): string {
  return [...text].slice(0, length).join('');
}

/** In UTF-16 code units. Shorter texts are words, and the file repeats them as it repeats names. */
const longText = 25;

/** Finds the long texts that a world file contains twice, each at its second place. */
export function findRepeatedTexts(file: YamlFile, { texts, tiers }: TextDocument): Problem[] {
  const found = [
    ...listTexts(texts, ['texts'], file),
    ...tiers.flatMap(({ called, each, metadata, rules }, n) =>
      listTexts({ called, each, metadata, rules }, ['tiers', n], file),
    ),
  ];
  const places = new Map<string, Location[]>();
  for (const { text, locate } of found) {
    if (text.length < longText || reference.test(text)) continue;
    places.set(text, [...(places.get(text) ?? []), locate()]);
  }
  return [...places].flatMap(([text, [first, ...others]]) => {
    // A mapping that an alias repeats is written once.
    const second = others.find(({ line, column }) => line !== first?.line || column !== first.column);
    const message = `the text '${toOneLine(text)}' is written twice, first in line ${first?.line}`;
    const hint = "Give it a name under 'texts', and write <text name> at both places.";
    return second === undefined ? [] : [{ at: second, message, hint }];
  });
}

interface FoundText {
  readonly text: string;
  readonly locate: Locate;
}

/** Lists all keys and values that are texts. @param at the place of the value in the file */
function listTexts(value: unknown, at: YamlPath, file: YamlFile): FoundText[] {
  if (typeof value === 'string') return [{ text: value, locate: () => file.locate(at) }];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => {
    const steps = [...at, key];
    const keys = Array.isArray(value) ? [] : [{ text: key, locate: () => file.locateKey(steps) }];
    return [...keys, ...listTexts(member, steps, file)];
  });
}
