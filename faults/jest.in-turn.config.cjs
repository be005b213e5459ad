// `npm run faults`: all suites. Those that measure latencies run last, when no other suite runs.
const { reporters, testTimeout, maxWorkers, ...preset } = require('./jest.config.cjs');
const measuring = '<rootDir>/test/attacks.e2e-spec.ts';

module.exports = {
  reporters,
  testTimeout,
  maxWorkers,
  projects: [
    { ...preset, displayName: 'faults', testPathIgnorePatterns: [measuring] },
    // Jest runs the files of one runner after those of another; the option makes this one separate.
    {
      ...preset,
      displayName: 'measuring',
      testMatch: [measuring],
      runner: ['jest-runner', { alone: true }],
    },
  ],
};
