/// <reference types="jest" />
import {
  eventually,
  expectStatus,
  type HookReceiver,
  type MovableClock,
  type ServiceFactory,
  uniqueText,
  unusedPort,
} from '@refledger/testing';
import { HookedAccount } from './hooked-account.js';

/** Tests what attempts show about hostile receivers, on a service with `retrySettings`. */
export const attemptsSuite = (service: ServiceFactory, clock: MovableClock): void => {
  describe('an attempt', () => {
    let hooked: HookedAccount;
    beforeAll(async () => void (hooked = await HookedAccount.open(service, clock)));
    afterAll(() => hooked.close());

    const scripted = (...script: Parameters<HookReceiver['script']>) => {
      hooked.receiver.script(...script);
      return hooked.receiver.url(script[0]);
    };
    const path = (): string => `/${uniqueText('hook')}`;

    /** Sends a new sale to a new endpoint. Returns the attempt that ended with this outcome. */
    const attempted = async (target: string, outcome: string) => {
      const endpoint = await hooked.account.subscribe(target, ['conversion.created']);
      await hooked.sell();
      const attempt = await eventually(
        async () => {
          const [found] = await hooked.deliveries(endpoint.id);
          if (found === undefined) throw new Error('there is no delivery');
          const { attempts } = await hooked.delivery(found);
          const last = attempts.findLast((one) => one.outcome !== null);
          expect(last).toMatchObject({ outcome });
          return last;
        },
        { timeoutMs: 20_000 },
      );
      const query = { target_url: target };
      expectStatus(204, await hooked.api.delete('/v1/webhooks/subscribe', { query }));
      return attempt;
    };

    it.each<[string, object, () => string | Promise<string>]>([
      [
        'bad_status',
        { status_code: 404, error: null, response_body: 'no such hook' },
        () => scripted(path(), () => ({ status: 404, body: 'no such hook' })),
      ],
      [
        'bad_status',
        { status_code: 503, retry_after: 60 },
        () => scripted(path(), () => ({ status: 503, headers: { 'retry-after': '60' } })),
      ],
      [
        'redirect',
        { status_code: 302, response_headers: { location: 'http://example.com/' } },
        () =>
          scripted(path(), () => ({ status: 302, headers: { location: 'http://example.com/' } })),
      ],
      [
        'timeout',
        { status_code: null, error: 'timed out after 4 s', response_headers: null },
        () => scripted(path(), () => 'never'),
      ],
      [
        'timeout',
        { status_code: 503, response_headers: { 'retry-after': '60' } },
        () =>
          scripted(path(), () => ({
            status: 503,
            headers: { 'retry-after': '60' },
            then: 'drip',
          })),
      ],
      [
        'succeeded',
        { status_code: 202, error: `${incompleteBody}: timed out after 4 s` },
        () => scripted(path(), () => ({ status: 202, then: 'drip' })),
      ],
      [
        'succeeded',
        {
          status_code: 200,
          error: `${incompleteBody}: connection closed before the response ended`,
          response_body: 'abc',
        },
        () => scripted(path(), () => ({ status: 200, body: 'abc', then: 'break' })),
      ],
      [
        'succeeded',
        { status_code: 200, error: null, response_body: 'continue' },
        () => scripted(path(), () => ({ status: 200, body: 'continue', continues: true })),
      ],
      [
        'connection',
        { status_code: null, error: 'connection refused', address: null, response_body: null },
        async () => `http://127.0.0.1:${await unusedPort()}/`,
      ],
      [
        'tls',
        { error: 'TLS handshake failed' },
        () => hooked.receiver.url(path()).replace('http:', 'https:'),
      ],
      ['dns', { address: null }, () => `http://${uniqueText('host')}.invalid/`],
      [
        'too_long',
        { error: 'the response headers are too large' },
        () => scripted(path(), () => ({ status: 200, headers: { 'x-long': 'x'.repeat(20_000) } })),
      ],
    ])('shows %s: %j', async (outcome, what, target) => {
      const attempt = await attempted(await target(), outcome);
      expect(attempt).toMatchObject({ address: '127.0.0.1', ...what });
      expect(attempt?.duration_ms).toBeGreaterThanOrEqual(outcome === 'timeout' ? 3_900 : 0);
    });

    it('that succeeded shows the response, without credentials or control characters', async () => {
      const at = path();
      const attempt = await attempted(
        scripted(at, () => ({
          status: 200,
          headers: { 'set-cookie': 'session=1', 'x-answer': 'yes' },
          body: Buffer.concat([Buffer.from('\u001b[2J\u0000ok '), Buffer.from([0xff, 0xfe])]),
        })),
        'succeeded',
      );
      expect(attempt).toMatchObject({
        response_headers: { 'x-answer': 'yes' },
        response_body: '\uFFFD[2J\uFFFDok \uFFFD\uFFFD',
        response_truncated: false,
      });
      expect(attempt?.response_headers).not.toHaveProperty('set-cookie');
    });

    it('shows the first 2 KiB of a response', async () => {
      const body = 'ä'.repeat(5_000);
      const target = scripted(path(), () => ({ status: 200, body }));
      expect(await attempted(target, 'succeeded')).toMatchObject({
        response_body: 'ä'.repeat(1_024),
        response_truncated: true,
      });
    });

    it('never shows the secret, even when the receiver echoes it', async () => {
      const { at, id, secret } = await hooked.subscribe();
      hooked.receiver.script(at, () => ({
        status: 500,
        headers: { 'x-echo': secret },
        body: secret,
      }));
      await hooked.sell();
      await eventually(async () => {
        const [delivery] = await hooked.deliveries(id);
        const { text } = await hooked.api.get(`/v1/webhooks/${id}/deliveries/${delivery?.id}`);
        expect(text).toContain('whsec_[secret]');
        expect(text).not.toContain(secret.slice('whsec_'.length));
      });
    });
  });
};

const incompleteBody = 'the body of the response is incomplete';
