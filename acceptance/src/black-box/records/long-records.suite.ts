/// <reference types="jest" />
import { randomUUID } from 'node:crypto';
import {
  type Affiliate,
  type ApiClient,
  type Change,
  type Conversion,
  expectStatus,
  type Page,
  type ServiceFactory,
  TestAccount,
  uniqueEmail,
} from '@refledger/testing';
import { expectProblem } from '../expect-problem.js';

/** An event as the event log takes it. */
interface PastEvent {
  readonly id: string;
  readonly type: string;
  readonly data: unknown;
  readonly metadata: {
    readonly account_id: `acct_${string}`;
    readonly actor: string;
    readonly request_id: string;
    readonly schema: 1;
    readonly recorded_at: string;
  };
}

/** The part of an event log that reads how a history begins, and writes the rest. */
interface HistoryLog {
  readStream(
    stream: `refledger.${string}`,
    range: { readonly to: number },
  ): AsyncIterable<readonly Pick<PastEvent, 'data'>[]>;
  append(
    stream: `refledger.${string}`,
    events: readonly PastEvent[],
    expected: number,
  ): Promise<unknown>;
}

/** Opens the service's event log for `work`, beside the running service or while it is stopped. */
export type WithLog = (work: (log: HistoryLog) => Promise<void>) => Promise<void>;

const maxRevisions = 10_000;
/** The number of events per append, which stays below the maximum size of an append. */
const together = 500;

/**
 * Tests a record with a long history, which is written to the log directly, since clients would
 * take too long.
 */
export const longRecordsSuite = (service: ServiceFactory, withLog: WithLog): void => {
  describe('a record with 10,000 revisions', () => {
    let account: TestAccount;
    let api: ApiClient;
    let affiliate: Affiliate;
    beforeAll(
      async () =>
        void ({ account, api, affiliate } = await TestAccount.withAffiliate(await service())),
    );

    /** Changes a new record until it has one revision left. */
    const almostFull = async (record: Affiliate | Conversion): Promise<void> => {
      const metadata = {
        account_id: account.id,
        actor: 'suite',
        request_id: 'suite',
        schema: 1,
        recorded_at: record.updated_at,
      } as const;
      const stream = `refledger.${record.object}-${record.id}` as const;
      await withLog(async (log) => {
        const created = await firstIn(log, stream);
        const data = record.object === 'affiliate' ? sameAffiliate(created) : sameSale(record);
        const event = { type: `${record.object}.updated`, data, metadata };
        for (let from = 0; from < maxRevisions - 2; from += together) {
          const length = Math.min(together, maxRevisions - 2 - from);
          const events = Array.from({ length }, () => ({ ...event, id: randomUUID() }));
          await log.append(stream, events, from);
        }
      });
    };

    it('a conversion can only be rejected', async () => {
      const { id } = await account
        .conversion(affiliate.id)
        .then(async (sale) => (await almostFull(sale), sale));
      const path = `/v1/conversions/${id}`;
      const full = expectStatus(
        200,
        await api.patch<Conversion>(path, { metadata: { last: 'yes' } }),
      );
      expect(full.revision).toBe(maxRevisions - 1);

      for (const change of [{ metadata: {} }, { sale_amount: 1 }, { status: 'approved' }])
        expectProblem(await api.patch(path, change), 409, 'too_many_revisions');
      expect((await api.get(path)).body).toEqual(full);
      expectStatus(200, await api.patch(path, { metadata: { last: 'yes' } }));
      expect(
        expectStatus(200, await api.patch<Conversion>(path, { status: 'rejected' })).revision,
      ).toBe(maxRevisions);
      expectProblem(await api.patch(path, { status: 'approved' }), 409, 'too_many_revisions');
    });

    it('has a history, from which it can be read as of any position', async () => {
      const sale = await account.conversion(affiliate.id);
      await almostFull(sale);
      const path = `/v1/conversions/${sale.id}`;
      const full = expectStatus(
        200,
        await api.patch<Conversion>(path, { status: 'approved', reason: 'last' }),
      );
      const history = async (query: object): Promise<readonly Change[]> =>
        expectStatus(200, await api.get<Page<Change>>(`${path}/history`, { query: { ...query } }))
          .data;

      const [latest, written, ...more] = await history({ include: 'record', limit: 2 });
      expect(more).toEqual([]);
      expect(latest).toMatchObject({ revision: maxRevisions - 1, reason: 'last', record: full });
      expect(written).toMatchObject({
        revision: maxRevisions - 2,
        actor: { type: 'system', id: 'suite', name: null },
        request_id: 'suite',
        changes: [],
      });
      const [first] = await history({ sort: 'revision', limit: 1 });
      for (const [change, record] of [
        [first, sale],
        [written, written?.record],
        [latest, full],
      ])
        expect(
          (await api.get(path, { query: { as_of: (change as Change).position } })).body,
        ).toEqual(record);
    });

    it('an affiliate can only be suspended and deleted', async () => {
      const { id } = await account.affiliate().then(async (made) => (await almostFull(made), made));
      const path = `/v1/affiliates/${id}`;
      expect(
        expectStatus(200, await api.patch<Affiliate>(path, { status: 'approved' })).revision,
      ).toBe(maxRevisions - 1);

      for (const change of [{ name: 'New' }, { metadata: { a: '1' } }, { email: uniqueEmail() }])
        expectProblem(await api.patch(path, change), 409, 'too_many_revisions');
      expectStatus(200, await api.patch(path, { status: 'suspended' }));
      expectProblem(await api.patch(path, { status: 'approved' }), 409, 'too_many_revisions');
      expectStatus(204, await api.delete(path));
    });
  });
};

/** Returns the data of a stream's first event. */
const firstIn = async (log: HistoryLog, stream: `refledger.${string}`): Promise<object> => {
  for await (const [first] of log.readStream(stream, { to: 0 }))
    if (typeof first?.data === 'object' && first.data !== null) return first.data;
  throw new Error(`${stream} has no event`);
};

/** Returns the data of an event that changes nothing of a new affiliate: its values stay sealed. */
const sameAffiliate = (created: object): object => ({
  ...created,
  before: 'after' in created ? created.after : undefined,
  changed: [],
  recipient_changed: false,
});

/** Returns the data of an event that changes a sale to its present values. */
const sameSale = ({
  id: conversion_id,
  affiliate_id,
  program_id,
  sale_currency,
  external_transaction_id,
  ...record
}: Conversion): object => {
  const { status, sale_amount, commission_amount, reason, metadata } = record;
  const fields = { status, sale_amount, commission_amount, reason, metadata };
  return {
    conversion_id,
    affiliate_id,
    program_id,
    sale_currency,
    external_transaction_id,
    before: fields,
    after: fields,
  };
};
