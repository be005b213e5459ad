/// <reference types="jest" />
import { createHmac } from 'node:crypto';
import {
  type ApiResponse,
  type Endpoint,
  expectStatus,
  type Hook,
  type MovableClock,
  type ServiceFactory,
  signatureFaults,
  subscriptionBody,
  TestAccount,
  uniqueText,
  unknownId,
} from '@refledger/testing';
import { Webhook } from 'standardwebhooks';
import { expectIssues, expectProblem, like } from '../expect-problem.js';
import { HookedAccount } from './hooked-account.js';

/** The secrets of an endpoint, as the API shows them. */
interface Secrets {
  readonly object: string;
  readonly secret: string;
  readonly previous: { readonly secret: string; readonly signs_until: string } | null;
}

/** Tests reading and rotating the secret of an endpoint. */
export const secretRotationSuite = (service: ServiceFactory, clock: MovableClock): void => {
  describe('the secret of an endpoint', () => {
    let hooked: HookedAccount;
    beforeAll(async () => void (hooked = await HookedAccount.open(service, clock)));
    afterAll(() => hooked.close());

    const path = (): string => `/${uniqueText('hook')}`;
    const made = (at = path()) =>
      hooked.account.subscribe(hooked.receiver.url(at), ['conversion.created']);
    const read = ({ id }: Pick<Endpoint, 'id'>): Promise<ApiResponse<Secrets>> =>
      hooked.api.get<Secrets>(`/v1/webhooks/${id}/secret`);
    const rotate = (
      { id }: Pick<Endpoint, 'id'>,
      body?: object,
      client = hooked.api,
    ): Promise<ApiResponse<Secrets>> =>
      client.post<Secrets>(`/v1/webhooks/${id}/rotate-secret`, body);
    const shown = async ({ id }: Pick<Endpoint, 'id'>): Promise<Endpoint> =>
      expectStatus(200, await hooked.api.get<Endpoint>(`/v1/webhooks/${id}`));

    it('is read as it was shown when the endpoint was created', async () => {
      const endpoint = await made();
      expect(expectStatus(200, await read(endpoint))).toEqual({
        object: 'webhook_secret',
        secret: endpoint.secret,
        previous: null,
      });
    });

    it('is rotated to a generated one, alongside which the earlier one signs for a day', async () => {
      const endpoint = await made();
      const before = clock.now();
      const rotated = expectStatus(200, await rotate(endpoint));
      expect(rotated).toEqual({
        object: 'webhook_secret',
        secret: like.text(/^whsec_[A-Za-z0-9+/]{43}=$/),
        previous: { secret: endpoint.secret, signs_until: like.instant() },
      });
      const signsUntil = rotated.previous?.signs_until ?? '';
      expect(Date.parse(signsUntil) - before).toBeGreaterThanOrEqual(24 * 3_600_000);
      expect(Date.parse(signsUntil) - clock.now()).toBeLessThanOrEqual(24 * 3_600_000);
      expect(expectStatus(200, await read(endpoint))).toEqual(rotated);
      const { secret: _, ...as } = endpoint;
      const now = await shown(endpoint);
      expect(now).toEqual({
        ...as,
        secret_rotation: { signs_until: signsUntil },
        updated_at: now.updated_at,
      });
      const listed = await hooked.account.all<Endpoint>('/v1/webhooks');
      expect(now).toMatchObject({ ...listed.find(({ id }) => id === endpoint.id) });
    });

    it('is not rotated again during the overlap, unless every earlier one ends at once', async () => {
      const endpoint = await made();
      const rotated = expectStatus(200, await rotate(endpoint, { overlap: '1h' }));
      const { detail } = expectProblem(await rotate(endpoint), 409, 'rotation_in_progress');
      expect(detail).toContain(rotated.previous?.signs_until);
      expect(expectStatus(200, await read(endpoint))).toEqual(rotated);
      const ended = expectStatus(200, await rotate(endpoint, { overlap: '0s' }));
      expect([ended.previous, ended.secret === rotated.secret]).toEqual([null, false]);
      expect((await shown(endpoint)).secret_rotation).toBeNull();
      expectStatus(200, await rotate(endpoint, { overlap: '168h' }));
    });

    it('that the client chooses is accepted, and sending it again changes nothing', async () => {
      const endpoint = await made();
      const secret = 'a secret of the client';
      const rotated = expectStatus(200, await rotate(endpoint, { secret }));
      expect(rotated).toMatchObject({ secret, previous: { secret: endpoint.secret } });
      const { updated_at } = await shown(endpoint);
      expect(expectStatus(200, await rotate(endpoint, { secret }))).toEqual(rotated);
      expect((await shown(endpoint)).updated_at).toBe(updated_at);
    });

    it('is replaced at once by a subscription with another one, but not during an overlap', async () => {
      const endpoint = await made();
      const subscribe = (over: object): Promise<ApiResponse<Endpoint>> =>
        hooked.api.post(
          '/v1/webhooks/subscribe',
          subscriptionBody(endpoint.target_url, ['conversion.created'], over),
        );
      const secret = 'a secret of the client';
      expectStatus(200, await subscribe({ secret }));
      expect(expectStatus(200, await read(endpoint))).toMatchObject({ secret, previous: null });
      const rotated = expectStatus(200, await rotate(endpoint));
      expectProblem(await subscribe({ secret }), 409, 'rotation_in_progress');
      for (const unchanged of [{}, { secret: rotated.secret }])
        expectStatus(200, await subscribe(unchanged));
      expect(expectStatus(200, await read(endpoint))).toEqual(rotated);
    });

    it('is not rotated by a request that makes no sense; the response names what is wrong', async () => {
      const endpoint = await made();
      for (const overlap of ['', '1d', '-1h', '169h', 24, null])
        expectIssues(await rotate(endpoint, { overlap }), 'validation_failed', ['/overlap']);
      expectIssues(await rotate(endpoint, { secret: 'short' }), 'validation_failed', ['/secret']);
      expectIssues(await rotate(endpoint, { until: '1h' }), 'unknown_field', ['/until']);
      for (const id of [unknownId('whk'), 'whk_1'])
        for (const response of [await read({ id }), await rotate({ id })])
          expectProblem(response, 404, 'not_found');
      expect(expectStatus(200, await read(endpoint)).previous).toBeNull();
    });

    it('appears only in its own responses', async () => {
      const endpoint = await made();
      const { secret } = expectStatus(200, await rotate(endpoint));
      for (const at of ['/v1/webhooks', `/v1/webhooks/${endpoint.id}`]) {
        const { text } = await hooked.api.get(at);
        for (const one of [secret, endpoint.secret]) expect(text).not.toContain(one);
      }
    });

    it('signs alongside the earlier one while it is rotated under load, and alone after that', async () => {
      const at = path();
      // an account without other endpoints, so that each sale is one webhook
      const own = await TestAccount.withAffiliate(await service());
      const endpoint = await own.account.subscribe(hooked.receiver.url(at), ['conversion.created']);
      const sales = async (count: number): Promise<void> => {
        const before = hooked.receiver.hooks(at).length;
        const sell = () => own.account.conversion(own.affiliate.id);
        await Promise.all(Array.from({ length: count }, sell));
        await hooked.receiver.waitFor(at, before + count);
      };
      await sales(20);
      const rotating = rotate(endpoint, { overlap: '1h' }, own.api);
      await sales(60);
      const response = await rotating;
      await sales(20);
      const { secret, previous } = expectStatus(200, response);
      const signsUntil = Date.parse(previous?.signs_until ?? '');
      await clock.pass(signsUntil - clock.now() + 1);
      await sales(5);

      const rotatedAt = Number(response.header('refledger-position'));
      for (const hook of hooked.receiver.hooks(at)) {
        const [byNew, byOld] = [secret, endpoint.secret].map((one) => verifies(hook, one));
        // a receiver that knows both secrets never fails
        expect([byNew, byOld]).toContain(true);
        // one that knows only the new secret accepts everything that happened after the rotation
        if (Number(hook.envelope.position) > rotatedAt) expect(byNew).toBe(true);
        // one that knows only the previous secret accepts everything, until that secret ends
        if (sentAt(hook) < signsUntil - 1_000) expect(byOld).toBe(true);
        expect(signatureIsOf(hook, byOld === true ? endpoint.secret : secret)).toBe(true);
      }
      expect(signatureFaults(lastOf(hooked.receiver.hooks(at)), secret)).toEqual([]);
    });
  });
};

const lastOf = (hooks: readonly Hook[]): Hook => {
  const hook = hooks.at(-1);
  if (hook === undefined) throw new Error('nothing was received');
  return hook;
};

/** Whether the public library accepts it, for a receiver that knows only this secret. */
const verifies = ({ at, bytes, headers }: Hook, secret: string): boolean => {
  // the library compares the time of the signature with the clock
  const clock = jest.spyOn(Date, 'now').mockReturnValue(at);
  try {
    new Webhook(secret).verify(bytes.toString('utf8'), headers as Record<string, string>);
    return true;
  } catch {
    return false;
  } finally {
    clock.mockRestore();
  }
};

/** Whether `X-Service-Signature` was made with this secret. */
const signatureIsOf = ({ bytes, headers }: Hook, secret: string): boolean =>
  headers['x-service-signature'] ===
  createHmac('sha256', Buffer.from(secret, 'utf8')).update(bytes).digest('hex');

const sentAt = ({ headers }: Hook): number => Number(headers['webhook-timestamp']) * 1_000;
