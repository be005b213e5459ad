/// <reference types="jest" />
import { type Change, expectStatus, type Page, type ServiceFactory } from '@refledger/testing';
import { expectIssues, expectProblem, like } from '../expect-problem.js';
import { itReads } from '../it-reads.js';
import { AccountRuns } from './account-runs.js';
import { OwingAccount } from './owing-account.js';

/** Tests what can be done to all payouts of a run together. */
export const runMarksSuite = (service: ServiceFactory): void => {
  const withReads = itReads(service);

  describe('the payouts of a run', () => {
    let owing: OwingAccount;
    let runs: AccountRuns;
    beforeEach(async () => {
      owing = await OwingAccount.open(await service());
      runs = new AccountRuns(owing);
      for (const amount of [100, 200, 300]) await owing.owed(amount);
    });
    const statuses = async (id: string): Promise<[number, string][]> =>
      (await runs.payouts(id))
        .map(({ amount, status }): [number, string] => [amount, status])
        .toSorted(([a], [b]) => a - b);

    withReads('are marked together, except those that cannot take the status', async () => {
      const { id, revision } = await runs.finish();
      const [first] = await runs.payouts(id);
      if (first === undefined) throw new Error('the run made no payouts');
      await owing.account.update(first, { status: 'canceled' });

      const accepted = await runs.change(id, { status: 'processing', reason: 'sent' });
      expect(expectStatus(202, accepted).marks).toEqual([
        { status: 'processing', at: like.instant(), applied_at: null, changed: 0, left: 0 },
      ]);
      const processing = await runs.mark(id, { status: 'processing' });
      expect(processing).toMatchObject({
        revision: revision + 2,
        marks: [{ status: 'processing', applied_at: like.instant(), changed: 2, left: 1 }],
      });
      const completed_at = new Date(Date.now() - 60_000).toISOString();
      const completed = await runs.mark(id, { status: 'completed', completed_at });
      expect(completed.marks[1]).toMatchObject({ status: 'completed', changed: 2, left: 1 });
      const payouts = await runs.payouts(id);
      expect(payouts.map(({ status }) => status).toSorted()).toEqual([
        'canceled',
        'completed',
        'completed',
      ]);
      for (const payout of payouts)
        expect(payout).toMatchObject(
          payout.id === first.id
            ? { reason: null, completed_at: null, revision: 1 }
            : { reason: null, completed_at, revision: 2 },
        );
      // the run's totals do not depend on the results of its payouts
      expect(completed.totals).toEqual([{ currency: 'USD', payouts: 3, amount: 600 }]);
    });

    withReads('are all canceled, and their entries are open again', async () => {
      const { id } = await runs.finish();
      const canceled = await runs.mark(id, { status: 'canceled', reason: 'too early' });
      expect(canceled.marks).toMatchObject([{ status: 'canceled', changed: 3, left: 0 }]);
      expect(await statuses(id)).toEqual([
        [100, 'canceled'],
        [200, 'canceled'],
        [300, 'canceled'],
      ]);
      for (const { reason } of await runs.payouts(id)) expect(reason).toBe('too early');
      const again = await runs.finish();
      expect(again.totals).toEqual([{ currency: 'USD', payouts: 3, amount: 600 }]);
    });

    withReads('cannot be completed while the run is running, but can be canceled', async () => {
      await Promise.all(Array.from({ length: 60 }, (_, n) => owing.owed(1 + n)));
      const { id } = expectStatus(202, await runs.start());
      const early = await runs.change(id, { status: 'completed' });
      // it may be finished already
      if (early.status !== 202) expectProblem(early, 409, 'invalid_transition');
      const canceled = await runs.mark(id, { status: 'canceled' });
      const finished = await runs.finished(id);
      const payouts = await runs.payouts(id);
      expect(payouts).toHaveLength(finished.payouts.created);
      const mark = canceled.marks.find(({ status }) => status === 'canceled');
      expect((mark?.changed ?? 0) + (mark?.left ?? 0)).toBe(payouts.length);
      if (early.status !== 202)
        expect(new Set(payouts.map(({ status }) => status)).size).toBeLessThanOrEqual(1);
    });

    withReads('keep their description and metadata when those of the run change', async () => {
      const run = await runs.finish({ description: 'January', metadata: { a: '1' } });
      const patch = { description: 'February', metadata: { b: '2' } };
      const changed = expectStatus(202, await runs.change(run.id, patch));
      expect(changed).toEqual({ ...run, ...patch, revision: run.revision + 1 });
      expect(expectStatus(202, await runs.change(run.id, patch))).toEqual(changed);
      for (const payout of await runs.payouts(run.id))
        expect(payout).toMatchObject({ description: 'January', metadata: {} });

      const { data } = expectStatus(
        200,
        await owing.api.get<Page<Change>>(`/v1/payout-runs/${run.id}/history`),
      );
      expect(data.map(({ type, actor }) => [type, actor.type])).toEqual([
        ['payout_run.updated', 'api_key'],
        ['payout_run.finished', 'system'],
        ['payout_run.started', 'api_key'],
      ]);
    });

    withReads('refuse a patch that makes no sense', async () => {
      const { id } = await runs.finish();
      const refuse = async (patch: object, path: string) =>
        expectIssues(await runs.change(id, patch), 'validation_failed', [path]);
      await refuse({ reason: 'why' }, '/reason');
      await refuse({ status: 'failed' }, '/status');
      await refuse({ completed_at: '2026-01-01T00:00:00Z' }, '/completed_at');
      const ahead = new Date(Date.now() + 3_600_000).toISOString();
      for (const completed_at of [ahead, '0000-01-01T00:00:00+01:00', '9999-12-31T23:59:59-01:00'])
        await refuse({ status: 'completed', completed_at }, '/completed_at');
      expectProblem(await runs.change(id, { totals: [] }), 422, 'immutable_field');
      const stale = await owing.api.patch(
        `/v1/payout-runs/${id}`,
        { metadata: {} },
        { headers: { 'if-match': '"0"' } },
      );
      expectProblem(stale, 412, 'revision_mismatch');
      expect((await runs.get(id)).marks).toEqual([]);
    });
  });
};
