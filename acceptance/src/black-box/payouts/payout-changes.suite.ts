/// <reference types="jest" />
import {
  type Affiliate,
  type ApiResponse,
  type Change,
  expectStatus,
  type Page,
  type Payout,
  payoutStatuses,
  type PayoutStatus,
  type ServiceFactory,
  signatureFaults,
  startHookReceiver,
} from '@refledger/testing';
import { expectIssues, expectProblem, like } from '../expect-problem.js';
import { itReads } from '../it-reads.js';
import { OwingAccount } from './owing-account.js';

/** The statuses that may follow each status. */
const following: Record<PayoutStatus, readonly PayoutStatus[]> = {
  created: ['processing', 'completed', 'failed', 'canceled'],
  processing: ['completed', 'failed'],
  completed: ['failed'],
  failed: [],
  canceled: [],
};
const changeTo = (status: PayoutStatus): { status: PayoutStatus; reason?: string } =>
  status === 'failed' ? { status, reason: 'closed' } : { status };

/** Tests changing payouts, and their history. */
export const payoutChangesSuite = (service: ServiceFactory): void => {
  let owing: OwingAccount;
  let affiliate: Affiliate;
  const withReads = itReads(service);
  const prepare = async (): Promise<void> => {
    owing ??= await OwingAccount.open(await service());
    affiliate ??= await owing.payee();
  };
  const create = async (over: object = {}): Promise<Payout> => {
    await owing.owe(affiliate, 100);
    return owing.paid(affiliate, { until: undefined, metadata: { a: '1' }, ...over });
  };
  const inStatus = async (status: PayoutStatus): Promise<Payout> => {
    const payout = await create();
    return status === 'created' ? payout : owing.account.update(payout, changeTo(status));
  };
  const patch = ({ id }: Payout, change: object, options = {}): Promise<ApiResponse<Payout>> =>
    owing.api.patch(`/v1/payouts/${id}`, change, options);

  describe('changing a payout', () => {
    beforeAll(prepare);

    it.each(payoutStatuses)(
      'from %s makes exactly the transitions that the contract allows',
      async (from) => {
        for (const status of payoutStatuses) {
          const before = await inStatus(from);
          const response = await patch(before, changeTo(status));
          if (status === from) expect(expectStatus(200, response)).toEqual(before);
          else if (following[from].includes(status))
            expect(expectStatus(200, response)).toMatchObject({
              status,
              amount: before.amount,
              revision: before.revision + 1,
            });
          else {
            expectProblem(response, 409, 'invalid_transition');
            expect(await owing.payout(before.id)).toEqual(before);
          }
        }
      },
    );

    it('refuses a forbidden transition as a whole', async () => {
      const failed = await inStatus('failed');
      const change = { status: 'completed', metadata: {} };
      expectProblem(await patch(failed, change), 409, 'invalid_transition');
      expect(await owing.payout(failed.id)).toEqual(failed);
    });

    it('needs a reason for a failure, and takes one only with a status', async () => {
      const payout = await create();
      for (const change of [
        { status: 'failed' },
        { status: 'failed', metadata: {} },
        { status: 'failed', reason: null },
        { status: 'failed', reason: 'x'.repeat(501) },
        { reason: 'why' },
        { reference: 'PP-1', reason: 'why' },
      ])
        expectIssues(await patch(payout, change), 'validation_failed', ['/reason']);
      for (const status of ['paid', '', null])
        expectIssues(await patch(payout, { status, reason: 'x' }), 'validation_failed', [
          '/status',
        ]);
      expectProblem(await patch(payout, {}), 422, 'validation_failed');
      expectIssues(await patch(payout, { stauts: 'failed' }), 'unknown_field', ['/stauts']);
      expect(await owing.payout(payout.id)).toEqual(payout);
      const reason = 'x'.repeat(500);
      expect(expectStatus(200, await patch(payout, { status: 'failed', reason })).reason).toBe(
        reason,
      );
    });

    it('sets the time of completion to now, or to an earlier time that is sent', async () => {
      const now = expectStatus(200, await patch(await create(), { status: 'completed' }));
      expect(now.completed_at).toBe(now.updated_at);
      const completed_at = '2026-01-31T10:00:00.000Z';
      const change = { status: 'completed', completed_at: '2026-01-31T11:00:00+01:00' };
      const earlier = expectStatus(200, await patch(await create(), change));
      expect(earlier.completed_at).toBe(completed_at);
      const failed = expectStatus(200, await patch(earlier, changeTo('failed')));
      expect(failed.completed_at).toBe(completed_at);
      const ahead = new Date(Date.now() + 60_000).toISOString();
      for (const refused of [
        { completed_at },
        { status: 'processing', completed_at },
        { status: 'completed', completed_at: ahead },
        { status: 'completed', completed_at: 'today' },
        // years outside 1 to 9999 in UTC
        { status: 'completed', completed_at: '0000-01-01T00:00:00+01:00' },
        { status: 'completed', completed_at: '9999-12-31T23:59:59-01:00' },
        { status: 'completed', completed_at: null },
      ])
        expectIssues(await patch(await create(), refused), 'validation_failed', ['/completed_at']);
    });

    it('sets the reference at any time but after it failed or was canceled', async () => {
      for (const status of payoutStatuses) {
        const before = await inStatus(status);
        const response = await patch(before, { reference: 'PP-8H7' });
        if (status === 'failed' || status === 'canceled')
          expectProblem(response, 409, 'invalid_transition');
        else {
          const after = expectStatus(200, response);
          expect(after).toMatchObject({ status, reference: 'PP-8H7', amount: 100 });
          expect(expectStatus(200, await patch(after, { reference: 'PP-8H7' }))).toEqual(after);
        }
      }
      for (const reference of ['', 'x'.repeat(256), null, 1])
        expectIssues(await patch(await create(), { reference }), 'validation_failed', [
          '/reference',
        ]);
    });

    it('replaces the metadata in any status, and changes nothing else', async () => {
      for (const status of payoutStatuses) {
        const before = await inStatus(status);
        const after = expectStatus(200, await patch(before, { metadata: { b: '2' } }));
        const { updated_at } = after;
        const revision = before.revision + 1;
        expect(after).toEqual({ ...before, metadata: { b: '2' }, updated_at, revision });
      }
    });

    it.each([
      'id',
      'object',
      'affiliate_id',
      'program_id',
      'balance_id',
      'run_id',
      'currency',
      'amount',
      'entry_count',
      'until',
      'description',
      'payee_revision',
      'chain',
      'created_at',
      'updated_at',
      'revision',
    ] as const)('%s cannot be changed, not even to its current value', async (field) => {
      const before = await create();
      for (const change of [{}, { status: 'completed' }])
        expectIssues(
          await patch(before, { ...change, [field]: before[field] }),
          'immutable_field',
          [`/${field}`],
        );
      expect(await owing.payout(before.id)).toEqual(before);
    });

    it('respects If-Match', async () => {
      const payout = await create();
      const ifMatch = { headers: { 'if-match': '"0"' } };
      const response = await patch(payout, { status: 'processing' }, ifMatch);
      expectStatus(200, response);
      expect(response.header('etag')).toBe('"1"');
      expectProblem(await patch(payout, changeTo('completed'), ifMatch), 412, 'revision_mismatch');
      // the record's revision is checked before its rules, and the request before both
      expectProblem(await patch(payout, changeTo('canceled'), ifMatch), 412, 'revision_mismatch');
      expectProblem(await patch(payout, { status: 'failed' }, ifMatch), 422, 'validation_failed');
      expect((await owing.payout(payout.id)).status).toBe('processing');
    });

    it('a hundred times at once completes it once', async () => {
      const payout = await create();
      const responses = await Promise.all(
        Array.from({ length: 100 }, () => patch(payout, changeTo('completed'))),
      );
      for (const response of responses)
        expect(expectStatus(200, response)).toMatchObject({ status: 'completed', revision: 1 });
    });

    it('to completed and to canceled at once does one of the two', async () => {
      const payout = await create();
      const responses = await Promise.all(
        (['completed', 'canceled'] as const).map((status) => patch(payout, changeTo(status))),
      );
      expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    });
  });

  describe('the balance of a payout that changes', () => {
    beforeAll(prepare);

    withReads('counts it where it belongs, at once', async () => {
      const figures = {
        created: { payable: 0, in_payout: 100, paid: 0 },
        processing: { payable: 0, in_payout: 100, paid: 0 },
        completed: { payable: 0, in_payout: 0, paid: 100 },
        failed: { payable: 100, in_payout: 0, paid: 0 },
        canceled: { payable: 100, in_payout: 0, paid: 0 },
      };
      for (const path of [
        ['created', 'processing', 'completed', 'failed'],
        ['created', 'canceled'],
        ['created', 'failed'],
        ['created', 'processing', 'failed'],
      ] as const) {
        const ada = await owing.owed(100);
        const payout = await owing.paid(ada);
        for (const status of path) {
          await owing.account.update(payout, changeTo(status));
          expect(await owing.balance(ada)).toMatchObject({ adjusted: 100, ...figures[status] });
          const isLiving = !['failed', 'canceled'].includes(status);
          for (const [line] of [await owing.lines(payout), await owing.entries(ada)])
            expect(line).toMatchObject({ amount: 100, payout_id: isLiving ? payout.id : null });
        }
      }
    });
  });

  describe('the history of a payout', () => {
    beforeAll(prepare);
    /** A payout that went through all kinds of changes, and the response to each. */
    const changed = async (): Promise<ApiResponse<Payout>[]> => {
      await owing.owe(affiliate, 100);
      const created = await owing.pay(affiliate, { description: 'January' });
      const responses = [created];
      for (const change of [
        { reference: 'PP-8H7', metadata: { a: '1' } },
        { status: 'processing', reason: 'sent to the bank' },
        { status: 'completed', completed_at: '2026-01-31T10:00:00.000Z' },
        { status: 'failed', reason: 'closed' },
      ])
        responses.push(await patch(created.body, change));
      return responses;
    };

    it('has each change, with its reason, and the record after it', async () => {
      const responses = await changed();
      const path = `/v1/payouts/${responses[0]?.body.id}/history`;
      const query = { include: 'record', sort: 'revision' };
      const history = await owing.api.get<Page<Change<Payout>>>(path, { query });
      const { data } = expectStatus(200, history);
      expect(data.map(({ record }) => record)).toEqual(responses.map(({ body }) => body));
      expect(data.map(({ position }) => position)).toEqual(
        responses.map(({ header }) => header('refledger-position')),
      );
      expect(data.map(({ type, reason, revision }) => [type, reason, revision])).toEqual([
        ['payout.created', null, 0],
        ['payout.updated', null, 1],
        ['payout.processing', 'sent to the bank', 2],
        ['payout.completed', null, 3],
        ['payout.failed', 'closed', 4],
      ]);
      expect(data.slice(1).map(({ changes }) => changes)).toEqual([
        [
          { path: '/reference', before: null, after: 'PP-8H7' },
          { path: '/metadata/a', before: null, after: '1' },
        ],
        [{ path: '/status', before: 'created', after: 'processing' }],
        [
          { path: '/status', before: 'processing', after: 'completed' },
          { path: '/completed_at', before: null, after: '2026-01-31T10:00:00.000Z' },
        ],
        [{ path: '/status', before: 'completed', after: 'failed' }],
      ]);
      expect(data.map(({ actor }) => actor.type)).toEqual(Array(5).fill('api_key'));
      const paged = await owing.account.all(path, { ...query, limit: 1 });
      expect(paged).toEqual(data);
    });

    it('gives the record as of each position', async () => {
      const responses = await changed();
      const path = `/v1/payouts/${responses[0]?.body.id}`;
      for (const response of responses) {
        const as_of = response.header('refledger-position') ?? '';
        const then = await owing.api.get(path, { query: { as_of } });
        expect(expectStatus(200, then)).toEqual(response.body);
        expect([then.header('refledger-as-of'), then.header('etag')]).toEqual([as_of, undefined]);
      }
      for (const as_of of ['0', '2001-01-01T00:00:00Z'])
        expectProblem(await owing.api.get(path, { query: { as_of } }), 404, 'not_found');
      for (const as_of of ['2999-01-01T00:00:00Z', 'now'])
        expectIssues(await owing.api.get(path, { query: { as_of } }), 'validation_failed', [
          'as_of',
        ]);
    });

    withReads('is sent to webhooks, each change with its record', async () => {
      const receiver = await startHookReceiver();
      try {
        const kinds = [...payoutStatuses, 'updated'].map((kind) => `payout.${kind}`);
        const { secret } = await owing.account.subscribe(receiver.url('/'), kinds);
        const responses = [...(await changed())];
        await owing.owe(affiliate, 1);
        const next = await owing.pay(affiliate);
        responses.push(next, await patch(next.body, { status: 'canceled' }));
        const hooks = await receiver.waitFor('/', responses.length);
        const inOrder = hooks.toSorted((a, b) =>
          BigInt(a.envelope.position) < BigInt(b.envelope.position) ? -1 : 1,
        );
        expect(inOrder.map(({ envelope }) => envelope)).toEqual(
          responses.map(({ body, header }, n) => ({
            id: like.id('evt'),
            type: `payout.${n === 1 ? 'updated' : body.status}`,
            timestamp: body.updated_at,
            account_id: owing.account.id,
            // the response to a creation names a position that is not before its event
            position: n === 0 || n === 5 ? like.text(/^\d+$/) : header('refledger-position'),
            data: body,
          })),
        );
        expect(hooks.flatMap((hook) => signatureFaults(hook, secret))).toEqual([]);
      } finally {
        await receiver.close();
      }
    });
  });
};
