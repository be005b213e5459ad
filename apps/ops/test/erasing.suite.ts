/// <reference types="jest" />
import { TestAccount, type Payout, type StandaloneService } from '@refledger/testing';
import { newId } from '@refledger/contracts';
import { jsonLines, withoutProgress, type ProcessResult } from './ops-process.js';
import { ids } from './sample-directory.js';

type Run = (...args: readonly string[]) => Promise<ProcessResult>;

/** Tests `ops erase`. The affiliate of the sample is erased afterwards. */
export const erasingSuite = (run: Run, service: () => StandaloneService | undefined): void =>
  describe('erase', () => {
    it('reports an unknown affiliate, and a malformed id', async () => {
      const unknown = newId('affiliate');
      expect(await run('erase', unknown)).toEqual({
        code: 1,
        out: '',
        err: `ops: The log has no affiliate ${unknown}. Check the id, and --data-dir or EVENT_LOG_URL.\n`,
      });
      expect(await run('erase', ids.conversion)).toMatchObject({ code: 2, out: '' });
    });

    it('erases an affiliate of any account, once', async () => {
      const ended = await run('erase', ids.affiliate);
      expect(ended).toMatchObject({ code: 0, err: '' });
      expect(ended.out).toMatch(
        new RegExp(
          `^erased ${ids.affiliate} of ${ids.account}, recorded at 20\\S+, key destroyed at 20\\S+\n$`,
        ),
      );
      const again = await run('erase', ids.affiliate);
      expect(again.out).toBe(ended.out.replace('erased', 'already erased:'));

      const [entry] = jsonLines(await run('erase', ids.affiliate, '--json'));
      const events = jsonLines(await run('show', ids.affiliate, '--json'));
      expect(events.slice(-2)).toMatchObject([
        { type: 'affiliate.deleted', metadata: { actor: 'operator' } },
        { type: 'affiliate.erased', metadata: { actor: 'operator' } },
      ]);
      expect(entry).toMatchObject({
        affiliate_id: ids.affiliate,
        account_id: ids.account,
        position: events.at(-1)?.position,
        erased_at: expect.any(String) as string,
      });
    });

    it('names payouts that have not ended, and erases nothing', async () => {
      const running = service();
      // paying needs a service
      if (running === undefined) return;
      const account = await TestAccount.open(running);
      const { id } = await account.update(await account.affiliate(), { status: 'approved' });
      await account.adjustment(id, { amount: 5_000, currency: 'USD' });
      const { status, body: payout } = await account.api.post<Payout>('/v1/payouts', {
        affiliate_id: id,
        currency: 'USD',
      });
      expect(status).toBe(201);
      const ended = withoutProgress(await run('erase', id));
      expect(ended).toMatchObject({ code: 1, out: '' });
      expect(ended.err).toMatch(
        new RegExp(`^ops: Affiliate ${id} has payouts.*\n  ${payout.id}\n$`),
      );
      expect((await account.api.get(`/v1/affiliates/${id}`)).status).toBe(200);
    });
  });
