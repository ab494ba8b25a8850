import { expect, test } from '@playwright/test';
import { certifyInProcess, listRequirementsWith, requirementSuite, suite } from './support/in-process.js';
import { createIndependentDeployment, type ShapeName, shapes } from './support/independent-deployment.js';

const { world } = suite;

const options = { suite: requirementSuite, isWorldLoaded: true };
const certifyShape = async (shape: ShapeName) =>
  (await certifyInProcess(createIndependentDeployment(world, { shape }), options)).certificate;

// Its other traits, any two of which go together, are in variants.spec.ts.
test('a conforming deployment passes, whatever the shape of its responses', async () => {
  for (const shape of Object.keys(shapes) as ShapeName[]) {
    if (shape === 'with-rejected') continue;
    const certificate = await certifyShape(shape);
    expect.soft([certificate.verdict, certificate.summary], shape).toEqual(['conforms', { pass: 17 }]);
  }
});

test.describe('where rejected promotions are listed beside returned ones', () => {
  test('the run is incomplete, names both paths and says what to put into a target file', async () => {
    const certificate = await certifyShape('with-rejected');
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
      const { certificate } = await certifyInProcess(renamed, options);
      const [, tier = ''] = /response: \{ tier: (\S+) \}/.exec(certificate.incomplete_because?.join() ?? '') ?? [];
      expect(tier).toBe(`/${valid}/*/id`);
      const stated = await certifyInProcess(renamed, { ...options, tierPatterns: [tier] });
      expect(stated.certificate.verdict).toBe('conforms');
    }
  });

  test('no path is proposed that fails the run', async () => {
    const tiers = world.tiers.map(({ rules, ...tier }) => ({
      ...tier,
      rules: rules.filter(({ kind }) => kind !== 'customer'),
    }));
    const violating = createIndependentDeployment({ ...world, tiers }, { shape: 'with-rejected' });
    const { certificate } = await certifyInProcess(violating, options);
    const reason = certificate.incomplete_because?.join() ?? '';
    expect(reason).toContain('None of them agrees with the documentation');
    expect(reason).not.toContain('tier:');
  });
});
