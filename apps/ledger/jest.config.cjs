module.exports = {
  ...require('../../tools/jest/preset.cjs'),
  testMatch: ['<rootDir>/{src,test}/**/*.{spec,e2e-spec}.ts'],
};
