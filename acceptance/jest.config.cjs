// These tests take longest: they have one core while other suites run, and both cores once those
// are done.
module.exports = {
  ...require('../tools/jest/preset.cjs'),
  testMatch: ['<rootDir>/{src,test}/**/*.{spec,e2e-spec}.ts'],
  testSequencer: '<rootDir>/../tools/jest/services-first.cjs',
  maxWorkers: 2,
};
