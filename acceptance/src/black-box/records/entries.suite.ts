/// <reference types="jest" />
import { createHash } from 'node:crypto';
import {
  type ApiClient,
  type Balance,
  type Change,
  type Conversion,
  type Entry,
  expectStatus,
  type LedgerLines,
  type Page,
  type ServiceFactory,
  TestAccount,
  unknownId,
} from '@refledger/testing';
import { present } from '@refledger/testing/present';
import { expectIssues, expectProblem, like } from '../expect-problem.js';
import { itReads } from '../it-reads.js';

/** Tests entries, and the ledger of a balance with its hash chain. */
export const entriesSuite = (service: ServiceFactory): void => {
  describe('an entry', () => {
    let account: TestAccount;
    let api: ApiClient;
    let affiliateId: string;
    let programId: string;
    const withReads = itReads(service);
    beforeEach(async () => {
      account = await TestAccount.open(await service());
      api = account.api;
      const program = await account.program({
        terms: { type: 'percentage', rate_bps: 2_000 },
      });
      programId = program.id;
      affiliateId = (await account.affiliate({ program_id: programId })).id;
    });

    const sale = async (over: object = {}): Promise<Conversion> => {
      const pending = await account.conversion(affiliateId, { sale_amount: 20_000, ...over });
      return account.update(pending, { status: 'approved' });
    };
    const entries = async (query: Readonly<Record<string, string>> = {}): Promise<Entry[]> => [
      ...expectStatus(200, await api.get<Page<Entry>>('/v1/entries', { query })).data,
    ];
    const balance = async (): Promise<Balance> => {
      const path = `/v1/affiliates/${affiliateId}/balances`;
      const [found] = expectStatus(200, await api.get<Page<Balance>>(path)).data;
      if (found === undefined) throw new Error('the affiliate has no balance');
      return found;
    };

    withReads('says what it is and which change caused it', async () => {
      const conversion = await sale();
      const { id } = await balance();
      const [entry] = await entries();
      expect(entry).toEqual({
        id: like.id('ent'),
        object: 'entry',
        number: 1,
        balance_id: id,
        affiliate_id: affiliateId,
        program_id: programId,
        currency: 'USD',
        kind: 'commission',
        amount: 4_000,
        payable_on: conversion.payable_on,
        conversion_id: conversion.id,
        adjustment_id: null,
        description: null,
        payout_id: null,
        caused_by: like.id('evt'),
        posted_at: like.instant(),
        created_at: like.instant(),
        position: like.text(/^\d+$/),
      });
      expect(expectStatus(200, await api.get(`/v1/entries/${entry?.id}`))).toEqual(entry);
      const history = await api.get<Page<Change>>(`/v1/conversions/${conversion.id}/history`);
      expect(expectStatus(200, history).data.map((change) => change.id)).toContain(
        entry?.caused_by,
      );
    });

    withReads('follows each change in what is owed', async () => {
      const conversion = await sale();
      for (const change of [
        { refunded_amount: 5_000 },
        { commission_amount: 3_500 },
        { metadata: { nothing: 'owed' } },
        { status: 'refunded' },
        { status: 'approved' },
        { status: 'rejected' },
      ])
        await account.update(conversion, change);
      const posted = await entries({ conversion_id: conversion.id, sort: 'position' });
      expect(posted.map(({ number, kind, amount }) => [number, kind, amount])).toEqual([
        [1, 'commission', 4_000],
        [2, 'correction', -1_000],
        [3, 'correction', 500],
        [4, 'reversal', -3_500],
        [5, 'commission', 3_500],
        [6, 'reversal', -3_500],
      ]);
      expect(new Set(posted.map(({ payable_on }) => payable_on)).size).toBe(1);
    });

    withReads('is made when a sale takes terms after its approval', async () => {
      affiliateId = (await account.affiliate({ program_id: 'prog_typo' })).id;
      const conversion = await sale({ occurred_at: '2026-01-31T10:00:00Z' });
      expect(await entries({ conversion_id: conversion.id })).toEqual([]);
      const terms = { type: 'percentage', rate_bps: 2_000 };
      expectStatus(200, await api.patch('/v1/programs/prog_typo', { terms }));
      for (const change of [
        { commission: 'by_terms' },
        { commission: 'by_terms' },
        { refunded_amount: 5_000 },
        { status: 'refunded' },
      ])
        await account.update(conversion, change);
      const posted = await entries({ conversion_id: conversion.id, sort: 'position' });
      expect(posted.map(({ kind, amount, payable_on }) => [kind, amount, payable_on])).toEqual([
        ['commission', 4_000, conversion.payable_on],
        ['correction', -1_000, conversion.payable_on],
        ['reversal', -3_000, conversion.payable_on],
      ]);
      const { earned, entries: count } = await balance();
      expect([earned, count]).toEqual([0, 3]);
    });

    withReads('is listed in the order of the log, and filtered', async () => {
      const first = await sale();
      await account.update(first, { refunded_amount: 5 });
      const second = await sale({ sale_currency: 'EUR' });
      const all = await entries();
      const positions = all.map(({ position }) => Number(position));
      expect(positions).toEqual(positions.toSorted((a, b) => b - a));
      expect(await entries({ sort: 'position' })).toEqual(all.toReversed());
      expect(await account.all('/v1/entries', { limit: 1 })).toEqual(all);
      expect(await account.all('/v1/entries', { limit: 2, sort: 'position' })).toEqual(
        all.toReversed(),
      );

      const amounts = async (query: Readonly<Record<string, string>>): Promise<number[]> =>
        (await entries({ sort: 'position', ...query })).map(({ amount }) => amount);
      expect(await amounts({ affiliate_id: affiliateId })).toEqual([4_000, -1, 4_000]);
      expect(await amounts({ program_id: programId, kind: 'commission' })).toEqual([4_000, 4_000]);
      expect(await amounts({ currency: 'eur' })).toEqual([4_000]);
      expect(await amounts({ conversion_id: second.id })).toEqual([4_000]);
      expect(await amounts({ adjustment_id: unknownId('adj') })).toEqual([]);
      expect(await amounts({ affiliate_id: unknownId('aff') })).toEqual([]);
      for (const [name, value] of [
        ['kind', 'payout'],
        ['sort', 'created_at'],
        ['sort', '-created_at'],
        ['created_after', 'yesterday'],
        ['created_before', ''],
      ] as const)
        expectIssues(
          await api.get('/v1/entries', { query: { [name]: value } }),
          'validation_failed',
          [name],
        );
    });

    describe('between two times', () => {
      let sales: Conversion[];
      let all: readonly Entry[];
      let bounds: { readonly created_after: string; readonly created_before: string };
      beforeEach(async () => {
        if (service.hasReadModels === false) return;
        sales = [];
        for (const sale_currency of ['USD', 'EUR', 'USD', 'EUR', 'USD'])
          sales.push(await sale({ sale_currency }));
        for (const each of sales) await account.update(each, { status: 'refunded' });
        all = (await entries({ limit: '100' })).toSorted((a, b) =>
          `${a.created_at} ${a.id}` < `${b.created_at} ${b.id}` ? -1 : 1,
        );
        expect(all).toHaveLength(10);
        const times = all.map(({ created_at }) => created_at);
        bounds = { created_after: times[1] ?? '', created_before: times[8] ?? '' };
      });

      /** The entries that a query must list, in the order of their times and ids. */
      const wanted = ({
        created_after = '',
        created_before = '~',
        created_from = '',
        created_to = '~',
        ...fields
      }: Query) =>
        all
          .filter((one) => one.created_at > created_after && one.created_at < created_before)
          .filter((one) => one.created_at >= created_from && one.created_at < created_to)
          .filter((one) =>
            Object.entries(one).every(([name, value]) => (fields[name] ?? value) === value),
          );

      withReads('is listed in the order of times and ids, and filtered', async () => {
        const { created_after, created_before } = bounds;
        const times: readonly Query[] = [
          { created_after },
          { created_before },
          bounds,
          { created_after: created_before, created_before: created_after },
          { created_after: '2020-01-01T00:00:00Z' },
          { created_from: created_after },
          { created_from: created_after, created_to: created_before },
        ];
        const filters: readonly Query[] = [
          {},
          { kind: 'reversal' },
          { currency: 'EUR' },
          { affiliate_id: affiliateId },
          { program_id: programId, currency: 'USD', kind: 'commission' },
          { conversion_id: sales[2]?.id ?? '' },
        ];
        for (const within of times)
          for (const filter of filters) {
            const query: Query = { ...within, ...filter };
            const list = (page: object) => account.all('/v1/entries', { ...query, ...page });
            expect(await list({ limit: 4, sort: 'created_at' })).toEqual(wanted(query));
            expect(await list({ limit: 3 })).toEqual(wanted(query).toReversed());
          }
      });

      withReads('has cursors of its own, and no order by position', async () => {
        const refuses = async (query: Query, ...names: readonly string[]) =>
          expectIssues(await api.get('/v1/entries', { query }), 'validation_failed', names);
        const query = { created_from: bounds.created_after, limit: '1' };
        const first = await api.get<Page<Entry>>('/v1/entries', { query });
        const cursor = present(expectStatus(200, first).next_cursor);
        await refuses({ cursor }, 'cursor');
        await refuses({ created_after: bounds.created_after, cursor }, 'cursor');
        await refuses({ ...bounds, cursor, sort: 'created_at' }, 'cursor');
        for (const sort of ['position', '-position'])
          for (const name of ['created_from', 'created_to', ...Object.keys(bounds)])
            await refuses({ sort, [name]: bounds.created_after }, 'sort');
      });
    });

    withReads('of another account, or that does not exist, is not found', async () => {
      await sale();
      const [entry] = await entries();
      const stranger = (await TestAccount.open(await service())).api;
      for (const id of [entry?.id, unknownId('ent'), 'ent_1'])
        expectProblem(await stranger.get(`/v1/entries/${id}`), 404, 'not_found');
    });

    withReads('is a line of the ledger, whose hash chain anyone can recompute', async () => {
      const conversion = await sale();
      await account.update(conversion, { status: 'refunded' });
      await sale();
      const { id, chain } = await balance();
      const response = await api.get<LedgerLines>(`/v1/balances/${id}/ledger`);
      expect(response.header('content-type')).toBe('application/x-ndjson');
      const lines = expectStatus(200, response);
      const events = lines.flatMap((line) => ('data' in line ? [line] : []));
      expect(
        heads(
          id,
          events.map(({ data }) => data),
        ).at(-1),
      ).toBe(chain);
      expect(events.map(({ data }) => data['number'])).toEqual([1, 2, 3]);
      expect(lines.at(-1)).toEqual({
        object: 'end',
        count: 3,
        chain,
        position: like.text(/^\d+$/),
      });
      const posted = await entries({ sort: 'position' });
      expect(events.map(({ position, recorded_at }) => [position, recorded_at])).toEqual(
        posted.map(({ position, created_at }) => [position, created_at]),
      );
    });
  });
};

type Query = Readonly<Record<string, string>>;

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** RFC 8785 for data without fractions. */
const canonical = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${canonical(member)}`).join(',')}}`;
};

/** The heads of the chain, as the documentation says to compute them. */
const heads = (
  balanceId: string,
  events: readonly { readonly chain: string }[],
): readonly string[] =>
  events.reduce(
    (before, { chain, ...data }) => {
      const next = sha256(`${before.at(-1)}${canonical(data)}`);
      expect(next).toBe(chain);
      return [...before, next];
    },
    [sha256(balanceId)],
  );
