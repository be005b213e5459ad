/// <reference types="jest" />
import {
  type ApiResponse,
  type Delivery,
  type DeliveryWithAttempts,
  expectStatus,
  type MovableClock,
  type ServiceFactory,
  signatureFaults,
  TestAccount,
  unknownId,
} from '@refledger/testing';
import { expectProblem, like } from '../expect-problem.js';
import { HookedAccount } from './hooked-account.js';

/** Tests the tests of endpoints, on a service with `retrySettings`. */
export const endpointTestsSuite = (service: ServiceFactory, clock: MovableClock): void => {
  describe('testing an endpoint', () => {
    let hooked: HookedAccount;
    beforeAll(async () => void (hooked = await HookedAccount.open(service, clock)));
    afterAll(() => hooked.close());

    const made = async (more: object = {}) => {
      const endpoint = await hooked.subscribe(['conversion.created', 'affiliate.created']);
      if (Object.keys(more).length > 0) await hooked.change(endpoint.id, more);
      return endpoint;
    };
    const test = (id: string, body?: object): Promise<ApiResponse<DeliveryWithAttempts>> =>
      hooked.api.post<DeliveryWithAttempts>(`/v1/webhooks/${id}/test`, body);

    it('sends a signed example of the first kind, and responds with the attempt', async () => {
      const { at, id, secret } = await made();
      hooked.receiver.script(at, () => ({ status: 202, body: 'thank you' }));
      const delivery = expectStatus(200, await test(id));
      expect(delivery).toMatchObject({
        id: like.id('dlv'),
        endpoint_id: id,
        type: 'conversion.created',
        position: '0',
        status: 'succeeded',
        trigger: 'test',
        attempt_count: 1,
        next_attempt_at: null,
        reason: null,
        attempts: [
          { number: 1, outcome: 'succeeded', status_code: 202, response_body: 'thank you' },
        ],
      });
      const [hook, ...more] = hooked.receiver.hooks(at);
      if (hook === undefined) throw new Error('nothing arrived');
      expect(more).toEqual([]);
      expect(signatureFaults(hook, secret)).toEqual([]);
      expect(hook.bytes.toString()).toBe(delivery.body);
      expect(hook.headers).toMatchObject({
        'webhook-id': delivery.event_id,
        'x-service-delivery': delivery.id,
        'x-service-event': 'conversion.created',
      });
      expect(JSON.parse(delivery.body ?? '')).toMatchObject({
        id: delivery.event_id,
        type: 'conversion.created',
        test: true,
        position: '0',
        data: { id: delivery.object_id, object: 'conversion' },
      });
      expect(
        await hooked.account.all<Delivery>('/v1/deliveries', { endpoint_id: id, trigger: 'test' }),
      ).toMatchObject([{ id: delivery.id }]);
    });

    it('sends the kind that is asked for, with the payload that the endpoint is set to', async () => {
      const { id } = await made({ payload: 'thin' });
      const delivery = expectStatus(200, await test(id, { type: 'payout.completed' }));
      const { type, data } = JSON.parse(delivery.body ?? '') as { type: string; data: object };
      expect([type, Object.keys(data)]).toEqual(['payout.completed', ['id', 'object', 'revision']]);
      expectProblem(await test(id, { type: 'payout.lost' }), 422, 'validation_failed');
      expectProblem(await test(id, { kind: 'payout.completed' }), 422, 'unknown_field');
    });

    it('sends the first kind that the first pattern matches', async () => {
      const { id } = await made({ events: ['payout_run.*', 'conversion.created'] });
      expect(expectStatus(200, await test(id)).type).toBe('payout_run.started');
      await hooked.change(id, { events: ['*'] });
      expect(expectStatus(200, await test(id)).type).toBe('affiliate.created');
    });

    it.each([410, 500, 429])('is not retried after a %i, and changes nothing', async (status) => {
      const { at, id } = await made();
      hooked.receiver.script(at, () => ({ status, headers: { 'retry-after': '1' } }));
      const before = await hooked.endpoint(id);
      const delivery = expectStatus(200, await test(id));
      expect(delivery).toMatchObject({
        status: 'failed',
        reason: `the response was ${status}`,
        attempts: [{ outcome: 'bad_status', status_code: status }],
      });
      expect(await hooked.endpoint(id)).toEqual(before);
      expect(hooked.receiver.hooks(at)).toHaveLength(1);
      expectProblem(
        await hooked.api.post(`/v1/webhooks/${id}/deliveries/${delivery.id}/redeliver`, undefined),
        409,
        'invalid_transition',
      );
    });

    it('reaches an endpoint that is paused, and leaves it paused', async () => {
      const { at, id } = await made({ status: 'paused' });
      expect(expectStatus(200, await test(id)).status).toBe('succeeded');
      expect(hooked.receiver.hooks(at)).toHaveLength(1);
      expect((await hooked.endpoint(id)).status).toBe('paused');
    });

    it('runs one test at a time per endpoint', async () => {
      const { at, id } = await made();
      hooked.receiver.script(at, () => 'never');
      const first = test(id);
      await hooked.receiver.waitFor(at, 1);
      const second = await test(id);
      expectProblem(second, 429, 'too_many_tests');
      expect(second.header('retry-after')).toBe('1');
      expect(expectStatus(200, await first)).toMatchObject({
        status: 'failed',
        attempts: [{ outcome: 'timeout' }],
      });
    });

    it('of an unknown endpoint, or of another account’s, is refused', async () => {
      const { id } = await made();
      expectProblem(await test(unknownId('whk')), 404, 'not_found');
      const stranger = await TestAccount.open(await service());
      expectProblem(
        await stranger.api.post(`/v1/webhooks/${id}/test`, undefined),
        404,
        'not_found',
      );
    });
  });
};
