// Shared Jest settings. Tests run as CommonJS. SWC turns Refledger's TypeScript and every ESM-only
// npm package into CommonJS, because Jest on Node < 24.9 cannot require() ESM.
const { readFileSync } = require('node:fs');
const { join, relative } = require('node:path');
const root = join(__dirname, '../..');

/**
 * A suite's tier is in its name: `*.engines.spec.ts` belongs to `npm run test:engines`,
 * `*.faults.spec.ts` to `npm run faults`, `*.long.spec.ts` to `npm run test:long`, and every other
 * one to `npm test`. Without TEST_TIER, Jest runs the suites of all tiers.
 */
const suites = '{spec,e2e-spec}.ts';
const otherTiers = '{engines,faults,long}';
const filesOf = (tier) => {
  switch (tier) {
    case undefined:
      return [`<rootDir>/{src,test}/**/*.${suites}`];
    case 'test':
      return [`<rootDir>/{src,test}/**/*.${suites}`, `!**/*.${otherTiers}.${suites}`];
    default:
      return [`<rootDir>/{src,test}/**/*.${tier}.${suites}`];
  }
};

// a wait may take this many times as long as on an idle machine, because all suites run at once,
// alongside builds (libs/testing/src/wait.ts)
process.env.TEST_PATIENCE ??= '5';

// the events that this workspace's suites append are counted there (../progress.mjs)
if (process.env.TEST_PROGRESS_DIR !== undefined)
  process.env.TEST_APPENDED_FILE = join(
    process.env.TEST_PROGRESS_DIR,
    `appended-${encodeURIComponent(relative(root, process.cwd()))}`,
  );

function esmOnlyPackages() {
  const { packages } = JSON.parse(
    readFileSync(join(root, 'node_modules/.package-lock.json'), 'utf8'),
  );
  const names = new Set();
  for (const [path, meta] of Object.entries(packages)) {
    if (!path.includes('node_modules/') || meta.link) continue;
    try {
      if (JSON.parse(readFileSync(join(root, path, 'package.json'), 'utf8')).type === 'module')
        names.add(path.replace(/^.*node_modules\//, ''));
    } catch {
      /* optional package for another platform */
    }
  }
  return [...names].map((n) => n.replace(/[.+]/g, '\\$&'));
}

const swc = (parser, transform) => [
  '@swc/jest',
  {
    swcrc: false,
    sourceMaps: 'inline',
    jsc: { target: 'es2022', parser, transform, keepClassNames: true },
    module: { type: 'commonjs' },
  },
];

module.exports = {
  testMatch: filesOf(process.env.TEST_TIER),
  // two suites run at a time, one for each core (../run-suites.mjs)
  maxWorkers: process.env.TEST_TIER === 'faults' ? 2 : 1,
  // kept between runs, unlike the folder of temporary files
  cacheDirectory: join(root, 'node_modules/.cache/jest'),
  testEnvironment: join(__dirname, 'environment.cjs'),
  ...(process.env.TEST_PROGRESS_DIR && {
    reporters: ['default', join(__dirname, 'progress-reporter.cjs')],
  }),
  globalTeardown: join(__dirname, 'global-teardown.cjs'),
  // ends a test that hangs, but not one that is slow
  testTimeout: 900_000,
  testEnvironmentOptions: { customExportConditions: ['@refledger/source', 'node', 'node-addons'] },
  moduleFileExtensions: ['ts', 'js', 'mjs', 'cjs', 'json', 'node'],
  moduleNameMapper: {
    '^(\\.{1,2}/.*)\\.js$': '$1',
    '^fast-check$': join(__dirname, 'seeded-fast-check.cjs'),
  },
  modulePathIgnorePatterns: ['<rootDir>/dist'],
  transform: {
    '\\.ts$': swc(
      { syntax: 'typescript', decorators: true },
      { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
    ),
    '\\.m?js$': swc({ syntax: 'ecmascript' }),
  },
  transformIgnorePatterns: [
    `/node_modules/(?!(?:.*/node_modules/)?(?:${esmOnlyPackages().join('|')})/)`,
  ],
};
