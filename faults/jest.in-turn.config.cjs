// `npm run faults`: all suites, but those that measure latencies only once no other runs.
const { reporters, testTimeout, maxWorkers, ...preset } = require('./jest.config.cjs');
const measuring = '<rootDir>/test/attacks.e2e-spec.ts';

module.exports = {
  reporters,
  testTimeout,
  maxWorkers,
  projects: [
    { ...preset, displayName: 'faults', testPathIgnorePatterns: [measuring] },
    // Jest runs the files of one runner after those of another, and the option makes it another
    {
      ...preset,
      displayName: 'measuring',
      testMatch: [measuring],
      runner: ['jest-runner', { alone: true }],
    },
  ],
};
