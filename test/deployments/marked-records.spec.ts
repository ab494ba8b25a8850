/** Deployments that list promotions whether they are valid or not, and mark those that are. They ignore no body. */

import { expect, test } from '@playwright/test';
import type { Tier } from '../../src/contract/world.js';
import { createRecognizer } from '../../src/recognition/recognizer.js';
import { createMentionFilter } from '../../src/recognition/sibling-values.js';
import { type Examination, type ExaminedArea, examineTarget } from '../../src/run/examine-target.js';
import { renderReason } from '../../src/support/reason.js';
import { parseYaml } from '../../src/support/yaml-file.js';
import {
  type Answer,
  certifyInProcess,
  channelTo,
  renderUnpassed,
  requirementSuite,
  suite,
} from '../support/in-process.js';
import { createIndependentDeployment, type Shape } from '../support/independent-deployment.js';
import { reasonOf } from '../support/reasons.js';
import { runWithEvidence } from '../support/run-with-evidence.js';

const { world } = suite;
type Present = (listed: readonly Tier[], isValid: (tier: Tier) => boolean) => unknown;

const marks: Readonly<Record<string, Present>> = {
  'a status': (listed, isValid) => ({
    data: listed.map((tier) => ({ id: tier.id, status: isValid(tier) ? 'APPLICABLE' : 'INAPPLICABLE' })),
  }),
  'a boolean': (listed, isValid) => listed.map((tier) => ({ valid: isValid(tier), id: tier.id })),
  'a number': (listed, isValid) => ({
    items: listed.map((tier) => ({ applicable: Number(isValid(tier)), ref: tier.id })),
  }),
  'a nested status': (listed, isValid) => ({
    result: {
      tiers: listed.map((tier) => ({
        promotion: { id: tier.id },
        validation: { status: isValid(tier) ? 'ok' : 'failed', checked_at: new Date().toISOString() },
      })),
    },
  }),
  'the values of ids': (listed, isValid) => Object.fromEntries(listed.map((tier) => [tier.id, { ok: isValid(tier) }])),
};

/** @param size how many of the newest tiers are listed */
const listing = (present: Present, size: number): Answer =>
  createIndependentDeployment(world, {
    shape: ((tiers, { tiers: all }) => present(all.slice(0, size), (tier) => tiers.includes(tier))) satisfies Shape,
  });

function readFinding(findings: Examination['findings'], wanted: ExaminedArea) {
  const { state, reason } = findings.find(({ area }) => area === wanted) ?? {};
  return [state, reason] as const;
}

for (const [n, [what, present]] of Object.entries(marks).entries())
  test(`The 150 checked promotions are listed and marked by ${what}: the run proposes the line, and then it conforms`, {
    tag: n % 2 === 0 ? [] : '@long',
  }, async () => {
    const answer = listing(present, 150);
    const { certificate } = await runWithEvidence(channelTo(answer));
    expect(certificate.verdict).toBe('incomplete');
    expect(certificate.causes ?? []).toEqual([]);
    const { findings } = await examineTarget(suite, channelTo(answer), {});
    const [, proposal] = readFinding(findings, 'Responses');
    expect(readFinding(findings, 'Responses')).toEqual(['problem', reasonOf('named-or-returned')]);
    expect(certificate.incomplete_because?.[0]).toContain(renderReason(proposal));
    expect(readFinding(findings, 'Body on GET')[0]).toBe('fine');

    const [line] = [proposal?.data.stated].flat();
    const { response } = parseYaml(String(line), 'target.yaml').value as {
      response: Parameters<typeof createMentionFilter>[0];
    };
    const mentionFilter = createMentionFilter(response);
    const tierPatterns = [response.tier ?? []].flat();
    const ended = await certifyInProcess(answer, {
      suite: requirementSuite,
      recognizer: createRecognizer(world, mentionFilter),
      ...(mentionFilter && { mentionFilter }),
      ...(tierPatterns.length > 0 && { tierPatterns }),
    });
    expect(ended.certificate.verdict, renderUnpassed(ended.certificate)).toBe('conforms');
  });

for (const size of [149, 151, 160, 233])
  test(`The newest ${size} promotions are listed and marked: nothing is called a cache`, {
    tag: size <= 151 ? [] : '@long',
  }, async () => {
    const answer = listing(marks['a status'] as Present, size);
    const { certificate } = await runWithEvidence(channelTo(answer));
    // The 150th is never returned.
    expect(certificate.verdict).toBe(size < 150 ? 'does-not-conform' : 'incomplete');
    const broken = certificate.requirements.filter(({ verdict }) => verdict === 'fail').map(({ id }) => id);
    expect(broken).not.toContain('request.get-with-body');
    expect(JSON.stringify(certificate.causes ?? [])).not.toMatch(/cache/);
    const { findings } = await examineTarget(suite, channelTo(answer), {});
    expect(readFinding(findings, 'Responses')).toEqual([
      'problem',
      reasonOf('named-or-returned', { stated: expect.stringContaining('where: { status: APPLICABLE }') }),
    ]);
  });

test('A body that is lost stays lost, whatever is beside the ids', async () => {
  for (const present of Object.values(marks)) {
    const answer = listing(present, 150);
    const losing: Answer = (request) => answer({ ...request, body: '{}' });
    const { findings } = await examineTarget(suite, channelTo(losing), {});
    expect(readFinding(findings, 'Body on GET')).toEqual(['problem', reasonOf('body-lost')]);
  }
  let turn = 0;
  const conforming = createIndependentDeployment(world, {
    shape: (tiers) => ({ trace: ++turn, data: tiers.map(({ id }, n) => ({ id, at: turn, position: n })) }),
  });
  const { findings } = await examineTarget(
    suite,
    channelTo(({ body: _, ...request }) => conforming(request)),
    {},
  );
  expect(readFinding(findings, 'Body on GET')).toEqual(['problem', reasonOf('body-lost')]);
});
