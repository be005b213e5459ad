/// <reference types="jest" />
import {
  type Affiliate,
  expectStatus,
  type Payout,
  type Problem,
  type ServiceFactory,
  unknownId,
} from '@refledger/testing';
import { expectProblem } from '../expect-problem.js';
import { OwingAccount } from './owing-account.js';
import { counts, imported, ndjson, sendImport } from './sent-import.js';

/** Tests marking many payouts with one request. */
export const payoutImportSuite = (service: ServiceFactory): void => {
  let owing: OwingAccount;
  let affiliate: Affiliate;
  beforeAll(async () => {
    owing = await OwingAccount.open(await service());
    affiliate = await owing.payee();
  });
  const create = async (): Promise<Payout> => {
    await owing.owe(affiliate, 100);
    return owing.paid(affiliate);
  };
  describe('importing payouts', () => {
    it('gives every line the result of the PATCH that it stands for', async () => {
      const { account: other } = await OwingAccount.open(await service());
      const theirs = await other.payout((await theirPayee(other)).id);
      const payout = await create();
      const completed = await owing.account.update(await create(), { status: 'completed' });
      const ahead = new Date(Date.now() + 60_000).toISOString();
      const refused: readonly (readonly [string, object, number, string])[] = [
        [unknownId('pay'), { status: 'completed' }, 404, 'not_found'],
        [theirs.id, { status: 'completed' }, 404, 'not_found'],
        ['pay_1', { status: 'completed' }, 404, 'not_found'],
        [completed.id, { status: 'canceled' }, 409, 'invalid_transition'],
        [payout.id, { status: 'paid' }, 422, 'validation_failed'],
        [payout.id, { status: 'failed' }, 422, 'validation_failed'],
        [payout.id, { status: 'completed', completed_at: ahead }, 422, 'validation_failed'],
        [payout.id, { status: 'processing', completed_at: ahead }, 422, 'validation_failed'],
        [
          payout.id,
          { status: 'completed', completed_at: '0000-01-01T00:00:00+01:00' },
          422,
          'validation_failed',
        ],
        [payout.id, { status: 'completed', reference: '' }, 422, 'validation_failed'],
        [payout.id, { status: 'completed', amount: 1 }, 422, 'immutable_field'],
      ];
      const { results, end } = await imported(
        owing.api,
        ndjson(refused.map(([payout_id, change]) => ({ payout_id, ...change }))),
      );
      expect(end).toMatchObject(counts({ lines: refused.length, failed: refused.length }));
      for (const [n, [id, change, status, code]] of refused.entries()) {
        const patched = await owing.api.patch<Problem>(`/v1/payouts/${id}`, change);
        const { request_id: _, ...problem } = expectProblem(patched, status, code);
        expect(results[n]).toMatchObject({ line: n + 1, status });
        const { request_id: __, ...imported } = results[n]?.problem as Problem;
        expect(shape(imported)).toEqual(shape(problem));
      }
      expect([await owing.payout(payout.id), await owing.payout(completed.id)]).toEqual([
        payout,
        completed,
      ]);
    });

    it('refuses a line that is not a change to a payout, and continues', async () => {
      const payout = await create();
      const mark = JSON.stringify({ payout_id: payout.id, status: 'completed' });
      const lines: readonly (readonly [string | Buffer, number, string])[] = [
        ['{', 400, 'malformed_json'],
        ['{}{}', 400, 'malformed_json'],
        [Buffer.from('{"payout_id":"\xff"}', 'latin1'), 400, 'malformed_json'],
        ['[]', 422, 'validation_failed'],
        ['null', 422, 'validation_failed'],
        ['{}', 422, 'validation_failed'],
        ['{"status":"completed"}', 422, 'validation_failed'],
        [`{"payout_id":"${payout.id}"}`, 422, 'validation_failed'],
        [`{"payout_id":"${payout.id}","status":"completed","metadata":{}}`, 422, 'unknown_field'],
        [`{"__proto__":{},${mark.slice(1)}`, 422, 'validation_failed'],
        [`{"status":"failed",${mark.slice(1)}`, 400, 'malformed_json'],
        [mark.padEnd(65_537), 413, 'payload_too_large'],
        [Buffer.alloc(1_000_000, 'x'), 413, 'payload_too_large'],
        [mark.padEnd(65_536), 200, ''],
      ];
      const body = Buffer.concat(lines.flatMap(([line]) => [Buffer.from(line), Buffer.from('\n')]));
      const { results, end } = await imported(owing.api, body);
      expect(results.map(({ status, problem }) => [status, problem?.code ?? ''])).toEqual(
        lines.map(([, status, code]) => [status, code]),
      );
      expect(results[10]?.problem?.detail).toBe(
        'The line has the key /status twice. Send each key once.',
      );
      expect(end).toMatchObject(counts({ lines: 14, updated: 1, failed: 13 }));
      expect((await owing.payout(payout.id)).status).toBe('completed');
    });

    it('processes the lines of one payout in order', async () => {
      const payout = await create();
      const others = [await create(), await create()];
      const marks = [
        { status: 'processing' },
        { status: 'completed', reference: 'A' },
        { status: 'completed', reference: 'A' },
        { status: 'completed', reference: 'B' },
        { status: 'failed', reason: 'returned' },
        { status: 'completed' },
      ];
      const lines = marks.map((mark) => ({ payout_id: payout.id, ...mark }));
      const file = [
        ...lines.slice(0, 3),
        ...others.map(({ id }) => ({ payout_id: id, status: 'canceled' })),
        ...lines.slice(3),
      ];
      const { results } = await imported(owing.api, ndjson(file));
      expect(results.map(({ problem, updated }) => problem?.code ?? updated ?? 'replayed')).toEqual(
        [true, true, 'replayed', true, true, true, true, 'invalid_transition'],
      );
      expect(await owing.payout(payout.id)).toMatchObject({
        status: 'failed',
        reference: 'B',
        reason: 'returned',
        revision: 4,
      });
    });

    it('takes CRLF, blank lines, and a last line without a line break', async () => {
      const [a, b] = [await create(), await create()];
      const mark = ({ id }: Payout) => JSON.stringify({ payout_id: id, status: 'processing' });
      const { results, end } = await imported(owing.api, `\r\n${mark(a)}\r\n \t\n\n${mark(b)}`);
      expect(results).toEqual([
        { line: 2, status: 200, id: a.id, updated: true },
        { line: 5, status: 200, id: b.id, updated: true },
      ]);
      expect(end).toMatchObject(counts({ lines: 2, updated: 2 }));
    });

    it('accepts a body in pieces of any size, and an empty one', async () => {
      const payout = await create();
      const text = Buffer.from(ndjson([{ payout_id: payout.id, status: 'processing' }]));
      async function* bytes(): AsyncGenerator<Buffer> {
        for (const byte of text) yield await Promise.resolve(Buffer.from([byte]));
      }
      expect((await imported(owing.api, bytes)).end).toMatchObject(
        counts({ lines: 1, updated: 1 }),
      );
      for (const nothing of ['', '\n\n'])
        expect((await imported(owing.api, nothing)).end).toMatchObject(counts({ lines: 0 }));
    });

    it('reads 100,000 lines and no more', async () => {
      const [a, b] = [await create(), await create()];
      const mark = ({ id }: Payout) => ndjson([{ payout_id: id, status: 'processing' }]);
      const body = `${'\n'.repeat(99_999)}${mark(a)}${mark(b)}`;
      const { results, end } = await imported(owing.api, body);
      expect(results).toEqual([{ line: 100_000, status: 200, id: a.id, updated: true }]);
      expect(end).toMatchObject({ lines: 1, updated: 1, problem: { code: 'payload_too_large' } });
      expect((await owing.payout(b.id)).status).toBe('created');
    });

    it('needs NDJSON, without compression', async () => {
      const body = ndjson([{ payout_id: unknownId('pay'), status: 'completed' }]);
      for (const type of ['application/json', 'text/plain', null])
        expectProblem(await sendImport(owing.api, body, type), 415, 'unsupported_media_type');
      const headers = { 'content-type': 'application/x-ndjson' };
      const coded = { ...headers, 'content-encoding': 'gzip' };
      for (const [path, sent] of [
        ['/v1/payouts/import', coded],
        ['/v1/payouts', headers],
      ] as const)
        expectProblem(
          await owing.api.send('POST', path, { body, headers: sent }),
          415,
          'unsupported_media_type',
        );
      const charset = 'Application/X-NDJSON; charset=utf-8';
      expectStatus(200, await sendImport(owing.api, body, charset));
    });

    it('needs scope admin', async () => {
      const payout = await create();
      const body = ndjson([{ payout_id: payout.id, status: 'completed' }]);
      for (const scope of ['read', 'write'] as const)
        expectProblem(
          await sendImport(await owing.account.withScope(scope), body),
          403,
          'insufficient_scope',
        );
      expect(await owing.payout(payout.id)).toEqual(payout);
    });
  });
};

/** Registers an affiliate of another account that is owed something. */
const theirPayee = async (account: OwingAccount['account']): Promise<Affiliate> => {
  const affiliate = await account.update(await account.affiliate(), { status: 'approved' });
  await account.adjustment(affiliate.id, { amount: 100 });
  return affiliate;
};

/** A problem without the times in its messages, which differ between two requests. */
const shape = (problem: object): unknown =>
  JSON.parse(JSON.stringify(problem).replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME'));
