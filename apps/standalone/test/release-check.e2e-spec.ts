import { join } from 'node:path';

interface Facts {
  readonly versions: readonly { readonly file: string; readonly version: string }[];
  readonly changelog: string;
  readonly fixtures: readonly { readonly release: string; readonly formats: object }[];
  readonly currentFormats: object;
}
let releaseNeeds: (facts: Facts) => readonly string[];

beforeAll(async () => {
  const tool = join(__dirname, '../../../tools/release-needs.mjs');
  // a program in JavaScript, without types
  ({ releaseNeeds } = (await import(tool)) as { releaseNeeds: typeof releaseNeeds });
});

/** A tree that lacks nothing: 1.10.0 has other formats than 1.0.0, and 1.9.0 has the same. */
const complete: Facts = {
  versions: [
    { file: 'package.json', version: '1.10.0' },
    { file: 'libs/x/package.json', version: '1.10.0' },
  ],
  changelog: '# Changelog\n\n## [1.10.0] - 2027\n\n## [1.9.0] - 2027\n\n## [1.0.0] - 2026\n',
  fixtures: [
    { release: '1.10.0', formats: { log: 4 } },
    { release: '1.0.0', formats: { log: 3 } },
  ],
  currentFormats: { log: 4 },
};

it('a release that lacks nothing passes', () => {
  expect(releaseNeeds(complete)).toEqual([]);
});

it.each<[string, Partial<Facts>, RegExp]>([
  [
    'another version in a workspace',
    { versions: [...complete.versions, { file: 'apps/y/package.json', version: '1.0.0' }] },
    /^apps\/y\/package.json has version 1.0.0, but package.json has 1.10.0/,
  ],
  [
    'no section of the changelog',
    { changelog: '## [Unreleased]\n\n## [1.0.0] - 2026\n' },
    /^CHANGELOG.md has no section "## \[1.10.0\]"/,
  ],
  [
    'no fixture of the first release',
    { fixtures: complete.fixtures.slice(0, 1) },
    /^faults\/fixtures has no 1.0.0/,
  ],
  [
    'a format that no fixture has',
    { currentFormats: { log: 5 } },
    /^faults\/fixtures\/1.10.0 has the formats {"log":4}, but this build writes {"log":5}/,
  ],
])('names %s', (_missing, over, message) => {
  expect(releaseNeeds({ ...complete, ...over })).toEqual([expect.stringMatching(message)]);
});
