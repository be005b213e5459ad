/// <reference types="jest" />
import type { AttemptOutcome } from '@refledger/contracts';
import {
  ended,
  endpointOf,
  leaseOf,
  planOf,
  planned,
  resultOf,
  t,
  type StoreUnderTest,
} from './under-test.js';

/** Tests what is kept of attempts. */
export const attempts = (at: StoreUnderTest): void => {
  const delivery = planned('a', 1);
  const sealed = (n: number): string => `v1.sealed-${n}`;
  /** One attempt that begins and ends in the second of its number. */
  const attempt = async (number: number, outcome: AttemptOutcome, failures = 0): Promise<void> => {
    const [claimed] = await at.store.claim(endpointOf('a'), 1, leaseOf('one', number));
    expect(claimed?.attemptCount).toBe(number);
    await at.store.recordOutcomes(
      [
        resultOf(
          delivery,
          {
            ...ended(number, number, outcome, 503),
            error: `number ${number}`,
            retryAfter: 120,
            sealedResponse: sealed(number),
          },
          { status: 'waiting', dueAt: t(number + 1) },
          failures,
        ),
      ],
      'one',
    );
  };

  describe('attempts', () => {
    beforeEach(() => at.store.plan(planOf([delivery]), leaseOf('one', 1)));

    it('are kept with everything that happened, the response of the last two only', async () => {
      for (const n of [1, 2, 3]) await attempt(n, 'bad_status', n);
      const kept = await at.store.get(delivery.id);
      expect(kept).toMatchObject({ attemptCount: 3, failures: 3 });
      expect(kept?.attempts).toEqual(
        [1, 2, 3].map((n) => ({
          ...ended(n, n, 'bad_status', 503),
          error: `number ${n}`,
          retryAfter: 120,
          sealedResponse: n === 1 ? null : sealed(n),
        })),
      );
    });

    it('are kept up to 30, and counted beyond', async () => {
      for (let n = 1; n <= 33; n++) await attempt(n, n === 20 ? 'unknown' : 'timeout', n);
      const kept = await at.store.get(delivery.id);
      expect(kept).toMatchObject({ attemptCount: 33, failures: 33 });
      expect(kept?.attempts.map(({ number }) => number)).toEqual(
        Array.from({ length: 30 }, (_, index) => index + 4),
      );
      expect(kept?.attempts.filter(({ sealedResponse }) => sealedResponse !== null)).toHaveLength(
        2,
      );
      await at.store.claim(endpointOf('a'), 1, leaseOf('one', 34));
      await at.store.release([delivery.id], leaseOf('one', 34), 'waiting');
      expect(await at.store.get(delivery.id)).toMatchObject({ attemptCount: 33, failures: 33 });
      await attempt(34, 'tls', 34);
      expect((await at.store.get(delivery.id))?.attempts.at(-1)).toMatchObject({ number: 34 });
    });

    it('of unknown outcome do not count as failures', async () => {
      await attempt(1, 'dns', 1);
      await at.store.claim(endpointOf('a'), 1, leaseOf('one', 2));
      await at.store.recoverLeftBy('one', t(3));
      expect(await at.store.get(delivery.id)).toMatchObject({
        attemptCount: 2,
        failures: 1,
        attempts: [{ outcome: 'dns' }, { outcome: 'unknown' }],
      });
    });
  });
};
