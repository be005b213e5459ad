import { fastify, type FastifyInstance } from 'fastify';
import type { DomainError } from '@refledger/contracts';
import type { Caller } from '@refledger/queries';
import { authenticate } from './authenticate.js';
import { AuthFailures } from './limits/auth-failures.js';

describe('a client that has failed to authenticate as often as it may', () => {
  let now: number;
  let lookups: number;
  let app: FastifyInstance;
  beforeEach(async () => {
    [now, lookups] = [0, 0];
    const caller: Caller = { keyId: 'key_1', accountId: 'acct_1', scope: 'read' };
    const authentication = {
      keys: {
        known: (key: string) => (key === 'known' ? caller : undefined),
        find: () => Promise.resolve(void lookups++),
      },
      uses: { record: () => undefined },
      failures: new AuthFailures(2, () => now),
      limiter: undefined,
    };
    app = fastify();
    app.decorateRequest('caller', null);
    app.addHook('onRequest', (request, reply, done) =>
      authenticate(request, reply, authentication, done),
    );
    app.setErrorHandler<DomainError>((error, _request, reply) => reply.send(error.code));
    app.get('/v1/account', () => 'served');
    await request('unknown');
    await request('unknown');
  });
  afterEach(() => app.close());

  const request = async (key: string, remoteAddress = '192.0.2.7') => {
    const { body, headers } = await app.inject({
      url: '/v1/account',
      remoteAddress,
      headers: { authorization: `Bearer ${key}` },
    });
    return [body, headers['retry-after']];
  };

  it('is told to wait, and causes no more look-ups of keys, until the minute is over', async () => {
    expect(lookups).toBe(2);
    now = 20_000;
    expect(await request('unknown')).toEqual(['rate_limited', '40']);
    expect(lookups).toBe(2);
    now = 60_000;
    expect(await request('unknown')).toEqual(['unauthenticated', undefined]);
    expect(lookups).toBe(3);
  });

  it('is served if it sends a known key, and other clients are not affected', async () => {
    expect(await request('known')).toEqual(['served', undefined]);
    expect(await request('unknown', '192.0.2.8')).toEqual(['unauthenticated', undefined]);
  });
});
