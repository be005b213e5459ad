// Ends a run whose process something keeps alive. Where a test file opened it,
// environment.cjs has named it already.
// a request of a client that was closed may keep its timer for half a minute
const waitMs = 10_000 * Number(process.env.TEST_PATIENCE ?? 1);

module.exports = async () => {
  // keeps nothing alive itself, so it fires only where something else does
  setTimeout(() => {
    const open = process.getActiveResourcesInfo().join(', ');
    process.stderr.write(`FAILED: the run was over, but its process stayed alive: ${open}\n`);
    process.exit(1);
  }, waitMs).unref();
};
