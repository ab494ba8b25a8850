import { expect, test } from '@playwright/test';
import { certifyInProcess, listRequirementsWith, requirementSuite, suite } from './support/in-process.js';
import {
  createIndependentDeployment,
  type ShapeName,
  shapes,
  type Traits,
  violations,
} from './support/independent-deployment.js';

const { world } = suite;

async function verdictOn(traits: Traits, tierPatterns?: readonly string[]) {
  const stated = tierPatterns === undefined ? {} : { tierPatterns };
  const options = { suite: requirementSuite, isWorldLoaded: true, ...stated };
  return (await certifyInProcess(createIndependentDeployment(world, traits), options)).certificate;
}

// Its other traits, any two of which go together, are in variants.spec.ts.
test('a conforming deployment passes, whatever the shape of its responses', async () => {
  for (const shape of Object.keys(shapes) as ShapeName[]) {
    if (shape === 'with-rejected') continue;
    const certificate = await verdictOn({ shape });
    expect.soft([certificate.verdict, certificate.summary], shape).toEqual(['conforms', { pass: 17 }]);
  }
});

test.describe('where rejected promotions are listed beside returned ones', () => {
  test('the run is incomplete, names both paths and says what to put into a target file', async () => {
    const certificate = await verdictOn({ shape: 'with-rejected' });
    expect(certificate.verdict).toBe('incomplete');
    expect(listRequirementsWith('fail', certificate)).toEqual([]);
    const reason = certificate.incomplete_because?.join() ?? '';
    expect(reason).toMatch(/\/promotions\/\*\/id names \d+ promotions, none that is not valid; /);
    expect(reason).toMatch(/\/skipped\/\*\/id names \d+ promotions, among them '[^']+' \(.*; the .*\), and not '/);
    expect(reason).toContain('response: { tier: /promotions/*/id }');
  });

  test('the line for the target file is that of the valid ones, in either order, and with it the run conforms', async () => {
    const answer = createIndependentDeployment(world, { shape: 'with-rejected' });
    for (const [valid, refused] of [
      ['accepted', 'skipped'],
      ['valid', 'ignored'],
    ] as const) {
      const renamed: typeof answer = (request) => {
        const response = answer(request);
        const { promotions, skipped } = JSON.parse(response.body);
        if (promotions === undefined) return response;
        const lists = { [valid]: promotions, [refused]: skipped };
        return { ...response, body: JSON.stringify(lists) };
      };
      const options = { suite: requirementSuite, isWorldLoaded: true };
      const { certificate } = await certifyInProcess(renamed, options);
      const [, tier = ''] = /response: \{ tier: (\S+) \}/.exec(certificate.incomplete_because?.join() ?? '') ?? [];
      expect(tier).toBe(`/${valid}/*/id`);
      const stated = await certifyInProcess(renamed, { ...options, tierPatterns: [tier] });
      expect(stated.certificate.verdict).toBe('conforms');
    }
  });

  test('no path is proposed that fails the run', async () => {
    const violating = createIndependentDeployment(world, { shape: 'with-rejected', violation: 'ignores-customer' });
    const { certificate } = await certifyInProcess(violating, { suite: requirementSuite, isWorldLoaded: true });
    const reason = certificate.incomplete_because?.join() ?? '';
    expect(reason).toContain('None of them agrees with the documentation');
    expect(reason).not.toContain('tier:');
  });

  test('a wrong path in a target file is incomplete, not a failure', async () => {
    const certificate = await verdictOn({ shape: 'with-rejected' }, ['/data/*/id']);
    expect(certificate.verdict).toBe('incomplete');
    expect(certificate.incomplete_because?.join()).toContain('not under /data/*/id');
  });
});

for (const [n, [violation, { breaks }]] of Object.entries(violations).entries())
  test(`a deployment that violates '${violation}' fails the requirement that it breaks`, {
    tag: n % 8 === 0 ? [] : '@long',
  }, async () => {
    const certificate = await verdictOn({ violation: violation as keyof typeof violations });
    expect(certificate.verdict).toBe('does-not-conform');
    expect(listRequirementsWith('fail', certificate)).toContain(breaks);
  });
