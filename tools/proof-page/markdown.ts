import { renderTable as renderLines } from '../proof/proof.js';

/** Renders a table in Markdown. */
export function renderTable(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const cells = rows.map((row) => row.map((cell) => (typeof cell === 'number' ? formatNumber(cell) : cell)));
  return renderLines(head, cells).join('\n');
}

/** What is folded until a reader opens it. */
export function renderFolded(title: string, text: string): string {
  return `<details><summary>${title}</summary>\n\n${text}\n\n</details>`;
}

export function renderCommand(command: string, measured: string): string {
  return `Measured on ${measured}: \`${command}\``;
}

export function formatNumber(number: number): string {
  return number.toLocaleString('en-US');
}

export function formatCount(number: number, noun: string): string {
  return `${formatNumber(number)} ${noun}${number === 1 ? '' : 's'}`;
}

/** A share in percent. Only all are 100 %, and only none is 0 %. */
export function formatShare(part: number, whole: number): string {
  const rounded = Math.round((1000 * part) / whole) / 10;
  if (part > 0 && rounded === 0) return '0.1 %';
  return `${part < whole ? Math.min(rounded, 99.9) : rounded} %`;
}

export function sum(numbers: Iterable<number>): number {
  return [...numbers].reduce((total, number) => total + number, 0);
}
