// These suites mostly wait for the processes that they start.
module.exports = {
  ...require('../tools/jest/preset.cjs'),
  testMatch: ['<rootDir>/{src,test}/**/*.{spec,e2e-spec}.ts'],
  maxWorkers: 2,
};
