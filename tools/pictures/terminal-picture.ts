import { formatReport, type ReportFormat } from '../../src/outputs/terminal/run-report.js';
import { baseUrl, renderReport } from '../update/failure-examples.js';

/** The picture of a failing run in `README.md`. */
export const terminalPicture = 'docs/terminal.svg';

/** The fault of the run that the pictures show. */
export const shownFault = 'quantity-above-threshold';

const columns = 100;
const [charWidth, lineHeight, margin, barHeight] = [8, 19, 18, 34];

/** A dark window with a border: it can be read on a light page and on a dark one. */
const colors = {
  window: '#0d1117',
  border: '#57606a',
  text: '#e6edf3',
  red: '#ff7b72',
  green: '#7ee787',
  yellow: '#e3b341',
  bold: '#ffffff',
} as const satisfies Record<ReportFormat | 'window' | 'border' | 'text', string>;

/** A part of a line in one format. */
interface Span {
  readonly text: string;
  readonly format: ReportFormat | undefined;
}

/** Draws the report of a run as a terminal of 100 columns shows it. */
export async function drawTerminal(): Promise<string> {
  const report = await renderReport(shownFault);
  const lines = [
    ...wrap([{ text: `$ npx conformance certify --base-url ${baseUrl}`, format: 'bold' }]),
    ...splitIntoSpans(report).flatMap(wrap),
  ];
  return drawWindow(lines);
}

const [begin, middle, end] = ['\u0001', '\u0002', '\u0003'] as const;

/** The lines of a report, by what is colored. */
function splitIntoSpans(report: string): Span[][] {
  const marked = formatReport(report, (part, format) => `${begin}${format}${middle}${part}${end}`);
  return marked.split('\n').map((line) =>
    line.split(end).flatMap((piece): Span[] => {
      const [before = '', formatted] = piece.split(begin);
      if (formatted === undefined) return [{ text: before, format: undefined }];
      const [format, text = ''] = formatted.split(middle);
      return [
        { text: before, format: undefined },
        { text, format: format as ReportFormat },
      ];
    }),
  );
}

/** Breaks a line where the terminal ends. */
function wrap(line: readonly Span[]): Span[][] {
  const rows: Span[][] = [[]];
  let free = columns;
  for (const { text, format } of line) {
    for (const letter of text) {
      if (free === 0) {
        rows.push([]);
        free = columns;
      }
      rows.at(-1)?.push({ text: letter, format });
      free -= 1;
    }
  }
  return rows.map(joinSpans);
}

function joinSpans(letters: readonly Span[]): Span[] {
  const joined: Span[] = [];
  for (const letter of letters) {
    const last = joined.at(-1);
    if (last?.format !== letter.format || last === undefined) joined.push(letter);
    else joined[joined.length - 1] = { ...last, text: last.text + letter.text };
  }
  return joined;
}

function drawWindow(lines: readonly (readonly Span[])[]): string {
  const width = columns * charWidth + 2 * margin;
  const height = barHeight + lines.length * lineHeight + margin;
  const dots = ['#ff5f57', '#febc2e', '#28c840'].map(
    (color, n) => `<circle cx="${margin + 4 + n * 18}" cy="17" r="5.5" fill="${color}"/>`,
  );
  const texts = lines.map((line, n) => drawLine(line, barHeight + (n + 1) * lineHeight - 5));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    '<title>A run against a deployment that compares quantities wrongly</title>',
    `<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8" fill="${colors.window}" stroke="${colors.border}"/>`,
    ...dots,
    `<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', 'Liberation Mono', monospace" font-size="13.3" fill="${colors.text}">`,
    ...texts.filter((text) => text !== ''),
    '</g>',
    '</svg>',
    '',
  ].join('\n');
}

/** Every letter has the same width, whatever font the reader has. */
function drawLine(line: readonly Span[], y: number): string {
  const length = line.reduce((sum, { text }) => sum + text.length, 0);
  if (length === 0) return '';
  const spans = line.map(({ text, format }) => {
    if (format === undefined) return escapeXml(text);
    const weight = format === 'bold' ? ' font-weight="bold"' : '';
    return `<tspan fill="${colors[format]}"${weight}>${escapeXml(text)}</tspan>`;
  });
  const size = `textLength="${length * charWidth}" lengthAdjust="spacingAndGlyphs"`;
  return `<text x="${margin}" y="${y}" ${size}>${spans.join('')}</text>`;
}

/** Renderers join spaces, whatever `xml:space` says: those that do not break stay. */
function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll(' ', '&#160;');
}
