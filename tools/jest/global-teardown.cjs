// Ends a run whose process something keeps alive. Where a test file opened it, environment.cjs has
// named it already. A timer alone, such as one of a client's that was closed, fails nothing.
const waitMs = 5_000;

module.exports = async () => {
  // keeps nothing alive itself, so it fires only where something else does
  setTimeout(() => {
    const open = process.getActiveResourcesInfo();
    const isFailure = open.some((name) => !['PipeWrap', 'TTYWrap', 'Timeout'].includes(name));
    const verdict = isFailure ? 'FAILED' : 'ended';
    process.stderr.write(
      `${verdict}: the run was over, but its process stayed alive: ${open.join(', ')}\n`,
    );
    // without a code the exit is that of the tests
    process.exit(isFailure ? 1 : undefined);
  }, waitMs).unref();
};
