import { once } from 'node:events';
import { connect } from 'node:net';
import { Health } from './health.js';
import { joinMetrics, newMetrics } from './metrics.js';
import { startOpsServer } from './ops-server.js';

const start = async (health: Health, metrics: () => Promise<string>) => {
  const config = { opsPort: 0, http: { host: '127.0.0.1' } };
  const server = await startOpsServer(config, health, metrics);
  if (server === undefined) throw new Error('the server was not started');
  return server;
};

it('is not started without OPS_PORT', async () => {
  const config = { opsPort: undefined, http: { host: '127.0.0.1' } };
  expect(await startOpsServer(config, new Health([]), () => Promise.resolve(''))).toBeUndefined();
});

it('reports whether every part is ready, and the metrics of all threads together', async () => {
  const health = new Health(['gateway', 'projector']);
  const threads = [newMetrics(), newMetrics()];
  for (const { attempts } of threads) attempts.inc({ outcome: 'succeeded' });
  const server = await start(health, async () =>
    joinMetrics(await Promise.all(threads.map(({ registry }) => registry.getMetricsAsJSON()))),
  );
  const get = async (path: string): Promise<[number, string]> => {
    const respond = await fetch(`${server.url}${path}`);
    return [respond.status, await respond.text()];
  };
  try {
    health.report({ part: 'gateway', ready: true, detail: 'serving' });
    expect(await get('/health/live')).toEqual([200, '{"status":"live"}']);
    expect((await get('/health/ready'))[0]).toBe(503);
    health.report({ part: 'projector', ready: true, detail: 'live' });
    expect((await get('/health/ready'))[0]).toBe(200);
    health.report({ part: 'projector', ready: false, detail: 'stopped at position 7' });
    const [status, body] = await get('/health/ready');
    expect([status, body]).toEqual([503, expect.stringContaining('stopped at position 7')]);
    expect((await get('/metrics'))[1]).toContain(
      'refledger_webhook_attempts_total{outcome="succeeded"} 2',
    );
    expect((await get('/nothing'))[0]).toBe(404);
  } finally {
    await server.close();
  }
});

it('closes immediately even while a client holds a connection open, idle or with half a request', async () => {
  const server = await start(new Health([]), () => Promise.resolve(''));
  const watchers = await Promise.all(
    ['', 'GET /met'].map(async (sent) => {
      const watcher = connect(Number(new URL(server.url).port), '127.0.0.1').on(
        'error',
        () => undefined,
      );
      await once(watcher, 'connect');
      watcher.write(sent);
      return watcher.resume();
    }),
  );
  // once this request is answered, the connections made before it have been accepted
  await (await fetch(`${server.url}/health/live`)).text();
  const ended = Promise.all(
    watchers.map((watcher) => new Promise((resolve) => watcher.once('close', resolve))),
  );
  await server.close();
  await ended;
});
