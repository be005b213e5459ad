// fast-check with a fixed seed, so that a run of the tests is the same as the one before. With
// TEST_SEED=random (`npm run test:long`) each run has a new one, which a failure prints; with a number,
// that one.
const fastCheck = require('../../node_modules/fast-check');

const { TEST_SEED: seed = '1' } = process.env;
if (seed !== 'random') fastCheck.configureGlobal({ seed: Number(seed) });

module.exports = fastCheck;
