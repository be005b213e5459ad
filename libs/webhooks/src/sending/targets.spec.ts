import fc from 'fast-check';
import { checkTarget } from '@refledger/webhook-endpoints';
import { targetsOf } from './targets.js';

it('returns the verdict of the guard for every URL, every time', () => {
  const targetOf = targetsOf('loopback');
  const url = fc.oneof(
    fc.webUrl({ withQueryParameters: true, withFragments: true }),
    fc.constantFrom(
      'http://127.0.0.1:9/',
      'http://10.0.0.1/',
      'ftp://example.com/',
      'http://u:p@example.com/',
      'nothing',
    ),
    fc.string(),
  );
  fc.assert(
    fc.property(url, (one) => {
      for (let asked = 0; asked < 2; asked++) {
        const target = targetOf(one);
        if (!target.allowed) expect(target).toEqual(checkTarget(one, 'loopback'));
        else
          expect(`${target.origin}${target.path}`).toBe(
            `${new URL(one).origin}${new URL(one).pathname}${new URL(one).search}`,
          );
      }
    }),
    { numRuns: 2_500 },
  );
});
