/// <reference types="jest" />
import {
  type ApiClient,
  type Conversion,
  conversionBody,
  type ServiceFactory,
  TestAccount,
  unknownId,
} from '@refledger/testing';
import { expectProblem } from '../expect-problem.js';

const tooLarge = JSON.stringify({ name: 'x'.repeat(70_000) });

/**
 * Tests the order of checks: 401, 404 (no such path) and 405, 403, 429, 413, 415, 400, 422, 404
 * (the record), 412 and 428, then the rules of the record. The rate-limit suite tests 429.
 */
export const checkOrderSuite = (service: ServiceFactory): void => {
  describe('the order of checks', () => {
    let writer: ApiClient;
    let reader: ApiClient;
    let anonymous: ApiClient;
    let pending: Conversion;
    beforeAll(async () => {
      const account = await TestAccount.open(await service());
      [writer, reader, anonymous] = [
        account.api,
        await account.withScope('read'),
        account.api.withKey(undefined),
      ];
      pending = await account.conversion((await account.affiliate()).id);
    });

    it('401 comes before all others', async () => {
      expectProblem(await anonymous.get('/v1/nowhere'), 401, 'unauthenticated');
      expectProblem(await anonymous.send('PUT', '/v1/conversions'), 401, 'unauthenticated');
      expectProblem(
        await anonymous.send('POST', '/v1/conversions', {
          body: '{',
          headers: { 'content-type': 'text/plain' },
        }),
        401,
        'unauthenticated',
      );
      expectProblem(
        await anonymous.send('POST', '/v1/conversions', {
          body: tooLarge,
          headers: { 'content-type': 'application/json' },
        }),
        401,
        'unauthenticated',
      );
    });

    it('404 for the path and 405 come before 403', async () => {
      expectProblem(await reader.post('/v1/nowhere', {}), 404, 'not_found');
      expectProblem(await reader.send('PUT', '/v1/conversions'), 405, 'method_not_allowed');
    });

    it('403 comes before 413', async () => {
      expectProblem(
        await reader.send('POST', '/v1/conversions', {
          body: tooLarge,
          headers: { 'content-type': 'application/json' },
        }),
        403,
        'insufficient_scope',
      );
    });

    it('413 comes before 415', async () => {
      expectProblem(
        await writer.send('POST', '/v1/conversions', {
          body: tooLarge,
          headers: { 'content-type': 'text/plain' },
        }),
        413,
        'payload_too_large',
      );
    });

    it('415 comes before 400', async () => {
      expectProblem(
        await writer.send('POST', '/v1/conversions', {
          body: '{',
          headers: { 'content-type': 'text/plain' },
        }),
        415,
        'unsupported_media_type',
      );
    });

    it('400 comes before 422', async () => {
      expectProblem(
        await writer.send('POST', '/v1/conversions', {
          body: '{',
          query: { nonsense: 1 },
          headers: { 'content-type': 'application/json' },
        }),
        400,
        'malformed_json',
      );
    });

    it('422 for the shape comes before 404 for the record', async () => {
      expectProblem(
        await writer.patch(`/v1/conversions/${unknownId('conv')}`, { status: 'lost' }),
        422,
        'validation_failed',
      );
      expectProblem(
        await writer.patch(`/v1/conversions/${unknownId('conv')}`, { nonsense: 1 }),
        422,
        'unknown_field',
      );
      expectProblem(
        await writer.get(`/v1/conversions/${unknownId('conv')}`, { query: { nonsense: 1 } }),
        422,
        'unknown_field',
      );
    });

    it('404 for the record comes before 412', async () => {
      expectProblem(
        await writer.patch(
          `/v1/conversions/${unknownId('conv')}`,
          { status: 'approved' },
          { headers: { 'if-match': '"9"' } },
        ),
        404,
        'not_found',
      );
      expectProblem(
        await writer.delete(`/v1/affiliates/${unknownId('aff')}`, {
          headers: { 'if-match': '"9"' },
        }),
        404,
        'not_found',
      );
    });

    it('412 comes before the rules of the record', async () => {
      expectProblem(
        await writer.patch(
          `/v1/conversions/${pending.id}`,
          { status: 'refunded' },
          { headers: { 'if-match': '"9"' } },
        ),
        412,
        'revision_mismatch',
      );
    });

    it('428 comes before the rules of the record', async () => {
      const path = `/v1/conversions/${pending.id}`;
      expect((await writer.patch(path, { refunded_amount: 2 })).status).toBe(200);
      const change = { refunded_amount: 1, status: 'rejected' };
      expectProblem(await writer.patch(path, change), 428, 'precondition_required');
      const { revision } = (await writer.get<Conversion>(path)).body;
      const headers = { 'if-match': `"${revision}"` };
      expectProblem(await writer.patch(path, change, { headers }), 409, 'invalid_transition');
    });

    it('the shape comes before the rules about other records', async () => {
      expectProblem(
        await writer.post('/v1/conversions', conversionBody(unknownId('aff'), { sale_amount: -1 })),
        422,
        'validation_failed',
      );
    });
  });
};
