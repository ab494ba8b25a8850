import { measurements } from './measure.js';
import { type ProofPart, type ProofParts, readProofData, recordPart } from './proof-data.js';
import { renderPart } from './render-page.js';
import { writeProofPage } from './write-page.js';

/**
 * Measures on what a verdict rests, prints it, records it in `measured.json`, and writes `docs/proof.md` and the figures of the
 * README.
 * Arguments name the parts to measure; the others stay as they were. Fails if something survives.
 */
const parts = Object.keys(measurements) as ProofPart[];
const wanted = process.argv.slice(2);
const unknown = wanted.filter((word) => !parts.some((part) => part === word));
if (unknown.length > 0) {
  process.stderr.write(`Unknown part '${unknown.join(', ')}': use ${parts.join(', ')}.\n`);
  process.exitCode = 2;
} else {
  for (const part of parts) if (wanted.length === 0 || wanted.includes(part)) await measurePart(part);
  writeProofPage();
}

async function measurePart<Part extends ProofPart>(part: Part): Promise<void> {
  const start = Date.now();
  const found: ProofParts[Part] = await measurements[part]();
  recordPart(part, found);
  const { survivors } = found;
  const seconds = ((Date.now() - start) / 1000).toFixed(0);
  const figures = renderPart[part](readProofData()).join('\n\n');
  const list = survivors.map((line) => `  ${line}\n`).join('');
  process.stdout.write(`${figures}\n\n${part}: ${survivors.length} survive (${seconds} s)\n${list}`);
  if (survivors.length > 0) process.exitCode = 1;
}
