// Tells a run of suites which test files begin and end, in one file per Jest process (../progress.mjs).
const { appendFileSync } = require('node:fs');
const { join, relative } = require('node:path');

const root = join(__dirname, '../..');
const folder = process.env.TEST_PROGRESS_DIR;

module.exports = class {
  onTestFileStart({ path }) {
    report('begin', path);
  }

  onTestFileResult({ path }) {
    report('end', path);
  }
};

const report = (what, path) => {
  appendFileSync(join(folder, String(process.pid)), `${what} ${relative(root, path)}\n`);
};
