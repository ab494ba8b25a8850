import { expect, test } from '@playwright/test';
import { certifyInProcess, requirementSuite, requirementsWith, suite } from './support/in-process.js';
import { independentDeployment, type ShapeName, shapes, type Traits, violations } from './support/independent.js';

const { world } = suite;

async function verdictOn(traits: Traits, tierPatterns?: readonly string[]) {
  const stated = tierPatterns === undefined ? {} : { tierPatterns };
  const options = { suite: requirementSuite, isWorldLoaded: true, ...stated };
  return (await certifyInProcess(independentDeployment(world, traits), options)).certificate;
}

test.describe('a conforming deployment passes', () => {
  const traits: Traits[] = [
    {},
    { status: 203 },
    { empty: 404 },
    { empty: 204 },
    { empty: 'no-body' },
    { order: 'oldest-first' },
    { order: 'by-name' },
    { numericStrings: 'rejected' },
    { unknownCustomer: 'rejected' },
    { bothFilters: 'union' },
    { omitted: 'rejected' },
    { repeated: 'each-item-alone' },
    { orderMetadataRules: 'ignored' },
    { audienceRulesOnly: 'skips-order-rules' },
    { filteredWindow: 'filter-first' },
    ...(Object.keys(shapes) as ShapeName[]).filter((shape) => shape !== 'with-rejected').map((shape) => ({ shape })),
  ];
  for (const each of traits) {
    test(JSON.stringify(each), async () => {
      const certificate = await verdictOn(each);
      expect(requirementsWith('pass', certificate)).toHaveLength(17);
      expect(certificate.verdict).toBe('conforms');
    });
  }
});

test.describe('where rejected promotions are listed beside returned ones', () => {
  test('the run is incomplete, names both paths and says what to put into a target file', async () => {
    const certificate = await verdictOn({ shape: 'with-rejected' });
    expect(certificate.verdict).toBe('incomplete');
    expect(requirementsWith('fail', certificate)).toEqual([]);
    expect(certificate.incomplete_because?.join()).toContain('/promotions/*/id and /skipped/*/id');
    expect(certificate.incomplete_because?.join()).toContain('response: { tier: /promotions/*/id }');
  });

  test('the path in a target file settles it', async () => {
    expect((await verdictOn({ shape: 'with-rejected' }, ['/promotions/*/id'])).verdict).toBe('conforms');
  });

  test('a wrong path in a target file is incomplete, not a failure', async () => {
    const certificate = await verdictOn({ shape: 'with-rejected' }, ['/data/*/id']);
    expect(certificate.verdict).toBe('incomplete');
    expect(certificate.incomplete_because?.join()).toContain('nowhere under /data/*/id');
  });
});

test.describe('a violating deployment fails the requirement that it breaks', () => {
  for (const [violation, { breaks }] of Object.entries(violations)) {
    test(violation, async () => {
      const certificate = await verdictOn({ violation: violation as keyof typeof violations });
      expect(certificate.verdict).toBe('does-not-conform');
      expect(requirementsWith('fail', certificate)).toContain(breaks[0]);
    });
  }
});
