module.exports = {
  ...require('../../../../tools/jest/preset.cjs'),
  testMatch: ['<rootDir>/*.fixture.ts'],
};
