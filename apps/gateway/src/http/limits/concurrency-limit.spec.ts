import { newMetrics } from '@refledger/platform';
import { fastify, type FastifyInstance } from 'fastify';
import { ConcurrencyLimit } from './concurrency-limit.js';

describe('the concurrency limit', () => {
  const metrics = newMetrics();
  let app: FastifyInstance;
  let finish: (() => void)[];
  const serve = (limits: { maxInProgress: number; heldBack: number; holdMs: number }): void => {
    const work = new ConcurrencyLimit(metrics, limits);
    finish = [];
    app = fastify();
    app.addHook('onRequest', (request, _reply, done) =>
      work.hasRoomFor(request) ? done() : work.reject(request, done),
    );
    app.setErrorHandler((error: Error & { code?: string }, _request, reply) =>
      reply.code(503).send(error.code),
    );
    for (const method of ['GET', 'POST']) {
      app.route({
        method,
        url: '/v1/things',
        config: { operation: 'getAccount' },
        handler: (request) =>
          work.run(
            request,
            () => new Promise<string>((resolve) => finish.push(() => resolve('done'))),
          ),
      });
    }
    app.get('/health/live', () => 'live');
  };
  const request = (method: 'GET' | 'POST', url = '/v1/things'): Promise<string> =>
    app.inject({ method, url }).then(({ body }) => body);
  const begun = async (wanted: number): Promise<void> => {
    while (finish.length < wanted) await new Promise((resolve) => setImmediate(resolve));
  };
  afterEach(() => app.close());

  it('rejects writes over the limit while it serves reads and other requests, and accepts writes again when there is room', async () => {
    serve({ maxInProgress: 2, heldBack: 1, holdMs: 1 });
    const writes = [request('POST'), request('POST')];
    await begun(2);
    expect(metrics.requestsInFlight).toEqual({ read: 0, write: 2 });
    expect(await request('POST')).toBe('unavailable');
    expect(await request('GET', '/health/live')).toBe('live');
    const read = request('GET');
    await begun(3);
    finish.forEach((end) => end());
    expect(await Promise.all([...writes, read])).toEqual(['done', 'done', 'done']);
    expect(metrics.requestsInFlight).toEqual({ read: 0, write: 0 });
    const next = request('POST');
    await begun(4);
    finish.at(-1)?.();
    expect(await next).toBe('done');
    expect(
      await metrics.registry.getSingleMetricAsString('refledger_http_requests_rejected_total'),
    ).toContain('{kind="write"} 1');
  });

  it('delays rejections, but only a limited number of them', async () => {
    serve({ maxInProgress: 0, heldBack: 1, holdMs: 2 ** 30 });
    let held: string | undefined;
    void request('POST').then(
      (response) => (held = response),
      () => undefined,
    );
    expect(await request('POST')).toBe('unavailable');
    expect(held).toBeUndefined();
  });

  it('also rejects a request that was admitted while there was room, but was fully received only later', async () => {
    const work = new ConcurrencyLimit(metrics, { maxInProgress: 0, heldBack: 0, holdMs: 0 });
    serve({ maxInProgress: 1, heldBack: 0, holdMs: 0 });
    await expect(
      work.run({ method: 'POST' } as never, () => Promise.resolve()),
    ).rejects.toMatchObject({ code: 'unavailable' });
    expect(metrics.requestsInFlight).toEqual({ read: 0, write: 0 });
  });
});
