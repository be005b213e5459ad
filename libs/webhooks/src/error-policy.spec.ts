import { ErrorPolicy } from './error-policy.js';

it('tries again as soon as the log has recovered, even if that was before it started to wait', async () => {
  let recovering = new AbortController();
  const log = {
    availability: {
      failure: undefined,
      get recovery() {
        return recovering.signal;
      },
    },
  };
  const recover = (): void => {
    const before = recovering;
    recovering = new AbortController();
    before.abort();
  };
  const fail = (): never => {
    throw new Error('must not be called');
  };
  const policy = new ErrorPolicy({
    log,
    // test double: a clock on which no time passes
    clock: { now: () => 0, random: () => 1, schedule: () => () => undefined },
    state: { assign: fail, isDecided: fail, waitFor: fail },
    guard: { waitingAt: fail, poll: fail, isSkipped: fail },
    offsets: { forget: fail },
    logRetry: () => undefined,
  });
  const { signal } = new AbortController();

  const waiting = policy.handle(new Error('away'), signal);
  recover();
  await waiting;

  recover();
  await policy.handle(new Error('away'), signal);
});
