export const listedKinds = [
  'requirements',
  'questions',
  'groups',
  'cases',
  'tags',
  'behaviours',
  'faults',
  'outputs',
] as const;
export type ListedKind = (typeof listedKinds)[number];
