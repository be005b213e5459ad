// Ends a run whose process stays alive. If a test file opened what keeps it alive,
// environment.cjs has already named it. A timer alone, such as a closed client's, is not a failure.
const waitMs = 5_000;

module.exports = async () => {
  // does not keep the process alive itself, so it fires only if something else does
  setTimeout(() => {
    const open = process.getActiveResourcesInfo();
    const isFailure = open.some((name) => !['PipeWrap', 'TTYWrap', 'Timeout'].includes(name));
    const verdict = isFailure ? 'FAILED' : 'ended';
    process.stderr.write(
      `${verdict}: the run is over, but its process stays alive because of ${open.join(', ')}\n`,
    );
    // without an argument the exit code is that of the tests
    process.exit(isFailure ? 1 : undefined);
  }, waitMs).unref();
};
