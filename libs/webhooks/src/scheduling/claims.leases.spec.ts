import { newId } from '@refledger/contracts';
import { Claims } from './claims.js';

describe('the renewal of leases', () => {
  let now: number;
  let renewed: number[];
  let failures: unknown[];
  let renew: () => Promise<void>;
  let nextRenewal: (() => void) | undefined;
  let claims: Claims;
  beforeEach(() => {
    now = 100_000;
    renewed = [];
    failures = [];
    renew = () => Promise.resolve();
    claims = new Claims({
      // stores nothing: the test only checks the calls
      store: {
        claim: unused,
        claimTests: unused,
        keepBodies: unused,
        release: unused,
        renew: () => (renewed.push(now), renew()),
      },
      directory: { followTo: unused },
      tracker: { recheck: unused },
      bodies: { make: unused },
      texts: { sealBodies: unused },
      newLease: () => ({ holder: 'us', now: '', leaseUntil: '' }),
      leaseMs: 30_000,
      // runs nothing by itself: the test lets the time pass
      clock: {
        schedule: (ms, task) => {
          expect(ms).toBe(10_000);
          nextRenewal = task;
          return () => (nextRenewal = undefined);
        },
      },
      logRetry: (_what, error) => failures.push(error),
    });
    claims.add(newId('delivery'));
    claims.begin();
  });
  const tenSecondsLater = async (): Promise<void> => {
    now += 10_000;
    nextRenewal?.();
    await settled();
  };

  it('runs three times per lease, until it is halted', async () => {
    await tenSecondsLater();
    await tenSecondsLater();
    claims.halt();
    await tenSecondsLater();
    expect(renewed).toEqual([110_000, 120_000]);
  });

  it('is not delayed by one that hangs', async () => {
    renew = () => new Promise(() => undefined);
    await tenSecondsLater();
    await tenSecondsLater();
    expect(renewed).toEqual([110_000, 120_000]);
  });

  it('waits for a store that is too slow, with no more than two at a time', async () => {
    const answers: (() => void)[] = [];
    renew = () => new Promise((resolve) => answers.push(resolve));
    for (let n = 0; n < 5; n++) await tenSecondsLater();
    expect(renewed).toEqual([110_000, 120_000]);
    answers[0]?.();
    await settled();
    await tenSecondsLater();
    await tenSecondsLater();
    expect(renewed).toEqual([110_000, 120_000, 160_000]);
  });

  it('continues after one that fails', async () => {
    renew = () => Promise.reject(new Error('no store'));
    await tenSecondsLater();
    await tenSecondsLater();
    expect(renewed).toEqual([110_000, 120_000]);
    expect(failures).toEqual([new Error('no store'), new Error('no store')]);
  });
});

const unused = () => Promise.reject(new Error('only renewals call the store'));
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
