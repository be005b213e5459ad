import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { projects } from './projects.mjs';

/** The facts about a tree that a release depends on. */
export const releaseFacts = (root, currentFormats) => {
  const read = (file) => readFileSync(join(root, file), 'utf8');
  const packages = ['.', ...projects(root)].map((workspace) => join(workspace, 'package.json'));
  const fixtures = join(root, 'faults/fixtures');
  return {
    versions: packages.map((file) => ({ file, version: JSON.parse(read(file)).version })),
    changelog: read('CHANGELOG.md'),
    fixtures: (existsSync(fixtures) ? readdirSync(fixtures) : []).map((release) => ({
      release,
      formats: JSON.parse(read(join('faults/fixtures', release, 'manifest.json'))).formats,
    })),
    currentFormats,
  };
};

/** What a release lacks, each as a sentence with its remedy; empty if it lacks nothing. */
export const releaseNeeds = ({ versions, changelog, fixtures, currentFormats }) => {
  const [{ version }] = versions;
  const released = [...changelog.matchAll(/^## \[(\d+\.\d+\.\d+)\]/gm)].map(([, found]) => found);
  return [
    ...versions
      .filter((each) => each.version !== version)
      .map((each) => `${each.file} has version ${each.version}, but package.json has ${version}.`),
    ...(released.includes(version)
      ? []
      : [`CHANGELOG.md has no section "## [${version}]". Turn "Unreleased" into it.`]),
    ...missingFixtures(released, fixtures, currentFormats),
  ];
};

/** A release whose formats equal those of the release before it needs no fixture of its own. */
const missingFixtures = (released, fixtures, currentFormats) => {
  const newest = fixtures.toSorted((a, b) => compare(a.release, b.release)).at(-1);
  const [first] = released.toSorted(compare);
  const lacking = first !== undefined && !fixtures.some(({ release }) => release === first);
  return [
    ...(lacking ? [`faults/fixtures has no ${first}. ${remedy}`] : []),
    ...(newest === undefined || same(newest.formats, currentFormats)
      ? []
      : [
          `faults/fixtures/${newest.release} has the formats ${JSON.stringify(newest.formats)}, but this build writes ${JSON.stringify(currentFormats)}. ${remedy}`,
        ]),
  ];
};

const remedy = 'Record it with: node tools/record-fixture.mjs';

const compare = (a, b) => a.localeCompare(b, 'en', { numeric: true });

const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);
