import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { openPublication, type RelayStatus } from '@refledger/event-bus';
import { Health, newLogger, newMetrics, processorHealth } from '@refledger/platform';
import { present } from '@refledger/testing/present';
import { relayNothing } from '../src/relay-nothing.js';

const status: RelayStatus = {
  state: 'live',
  position: undefined,
  head: undefined,
  lagSeconds: 0,
  standingBy: false,
};

it('is ready when it is live or standing by', () => {
  expect(processorHealth('relay', status)).toEqual({ part: 'relay', ready: true, detail: 'live' });
  expect(
    processorHealth('relay', { ...status, state: 'retrying', error: 'the broker is unavailable' }),
  ).toMatchObject({
    ready: false,
    detail: expect.stringContaining('the broker is unavailable') as string,
  });
  expect(
    processorHealth('relay', { ...status, state: 'catching_up', standingBy: true }),
  ).toMatchObject({
    ready: true,
    detail: 'standing by',
  });
});

it('shuts down even if a broker does not respond', async () => {
  const silent = createServer(() => undefined).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const publication = await openPublication(
    `kafka://127.0.0.1:${(silent.address() as AddressInfo).port}`,
    { partitions: 1, logger: newLogger('silent', 'relay') },
  );
  const ending = new AbortController();
  const leading = present(publication).lead(ending.signal, () => undefined);
  const [connection] = (await once(silent, 'connection')) as [Socket];
  const reason = new Error('the end');
  ending.abort(reason);
  await expect(leading).rejects.toBe(reason);
  await present(publication).close();
  connection.destroy();
  silent.close();
});

it('is ready while OUTGOING is off, says so, and connects to nothing', async () => {
  const [health, metrics] = [new Health(['relay']), newMetrics()];
  const relay = relayNothing('OUTGOING is off', {
    logger: newLogger('silent', 'relay'),
    metrics,
    health,
  });
  expect(health.summary()).toEqual({
    ready: true,
    parts: [{ part: 'relay', ready: true, detail: 'sends nothing: OUTGOING is off' }],
  });
  expect((await metrics.processorSendsNothing.get()).values).toMatchObject([
    { labels: { processor: 'relay' }, value: 1 },
  ]);
  await relay.close();
});
