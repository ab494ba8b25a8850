import { inflateSync } from 'node:zlib';

/** Reads the text of each page of a PDF that Chromium printed (ISO 32000-1; Skia writes no object streams). */
export function readPdfPages(pdf: Buffer): string[] {
  const objects = readObjects(pdf);
  const pages = [...objects.values()].filter((object) => /\/Type \/Page\b/.test(object.text));
  return pages.map(({ text }) => {
    const fonts = new Map(
      [...text.matchAll(/\/(F\d+) (\d+) 0 R/g)].map(([, name = '', id]) => [name, readCharacters(objects, id)]),
    );
    return decodeContent(objects.get(findReference(text, 'Contents'))?.stream ?? '', fonts);
  });
}

interface PdfObject {
  readonly text: string;
  readonly stream: string;
}

function readObjects(pdf: Buffer): Map<string, PdfObject> {
  const found = pdf.toString('latin1').matchAll(/\n(\d+) 0 obj\n([\s\S]*?)\nendobj/g);
  return new Map(
    [...found].map(([, id = '', content = '']) => {
      const [text = '', packed] = content.split(/\bstream\n/, 2);
      const isDeflated = packed !== undefined && text.includes('/FlateDecode');
      const stream = isDeflated ? inflateSync(Buffer.from(packed, 'latin1')).toString('latin1') : (packed ?? '');
      return [id, { text, stream }];
    }),
  );
}

function findReference(text: string, name: string): string {
  return new RegExp(`/${name} (\\d+) 0 R`).exec(text)?.[1] ?? '';
}

type Characters = ReadonlyMap<number, string>;

/** Reads which character each glyph of a font is: its CMap names single glyphs, and ranges of them. */
function readCharacters(objects: ReadonlyMap<string, PdfObject>, font = ''): Characters {
  const { stream = '' } = objects.get(findReference(objects.get(font)?.text ?? '', 'ToUnicode')) ?? {};
  const characters = new Map<number, string>();
  const decode = (hex = '') => Buffer.from(hex, 'hex').swap16().toString('utf16le');
  for (const [, lines = ''] of stream.matchAll(/beginbfchar\n([\s\S]*?)endbfchar/g))
    for (const [, glyph = '', text] of lines.matchAll(/<(\w+)> <(\w+)>/g))
      characters.set(Number.parseInt(glyph, 16), decode(text));
  for (const [, lines = ''] of stream.matchAll(/beginbfrange\n([\s\S]*?)endbfrange/g))
    for (const [, from = '', to = '', text = ''] of lines.matchAll(/<(\w+)> <(\w+)> <(\w+)>/g))
      for (let n = 0; n <= Number.parseInt(to, 16) - Number.parseInt(from, 16); n += 1)
        characters.set(Number.parseInt(from, 16) + n, String.fromCodePoint(Number.parseInt(text, 16) + n));
  return characters;
}

/** Decodes the text that a content stream shows, in the order in which it is painted. */
function decodeContent(content: string, fonts: ReadonlyMap<string, Characters>): string {
  let characters: Characters = new Map();
  let text = '';
  for (const [, font, glyphs] of content.matchAll(/\/(F\d+) [\d.]+ Tf|<([0-9A-F]+)>/g)) {
    if (font !== undefined) characters = fonts.get(font) ?? new Map();
    for (const [glyph] of (glyphs ?? '').matchAll(/.{4}/g)) text += characters.get(Number.parseInt(glyph, 16)) ?? '';
  }
  return text;
}
