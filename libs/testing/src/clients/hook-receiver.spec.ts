import { createHmac } from 'node:crypto';
import { connect } from 'node:net';
import { request } from 'undici';
import { startHookReceiver, type Hook, type HookReceiver } from './hook-receiver.js';
import { signatureFaults } from './hook-signature.js';

describe('a receiver of webhooks', () => {
  let receiver: HookReceiver;
  beforeAll(async () => void (receiver = await startHookReceiver()));
  afterAll(() => receiver.close());

  const post = (path: string, body: string, headers: Record<string, string> = {}) =>
    request(receiver.url(path), {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', ...headers },
    });

  it('settles once it has recorded what a sender sent before it ended', async () => {
    const sender = connect(receiver.port, '127.0.0.1').resume();
    const body = JSON.stringify({ id: 'evt_last', padding: 'x'.repeat(1_000_000) });
    await new Promise<void>((resolve) => sender.once('connect', resolve));
    sender.end(`POST /left HTTP/1.1\r\nhost: a\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
    await receiver.settled();
    expect(receiver.hooks('/left').map(({ envelope }) => envelope.id)).toEqual(['evt_last']);
  });

  it('records raw bytes and responds by script, counting the attempts per webhook-id', async () => {
    receiver.script('/scripted', (_hook, attempt) =>
      attempt === 1 ? { status: 503, headers: { 'retry-after': '7' } } : { status: 204 },
    );
    const first = await post('/scripted', '{"id": "evt_1"}', { 'webhook-id': 'evt_1' });
    const other = await post('/scripted', '{"id":"evt_2"}', { 'webhook-id': 'evt_2' });
    const again = await post('/scripted', '{"id": "evt_1"}', { 'webhook-id': 'evt_1' });

    expect([first.statusCode, other.statusCode, again.statusCode]).toEqual([503, 503, 204]);
    expect(first.headers['retry-after']).toBe('7');
    expect(receiver.hooks('/scripted').map(({ bytes }) => bytes.toString())).toEqual([
      '{"id": "evt_1"}',
      '{"id":"evt_2"}',
      '{"id": "evt_1"}',
    ]);
  });

  it('can leave a request without a response, drip one, or break it off', async () => {
    receiver.script('/never', () => 'never');
    receiver.script('/drip', () => ({ status: 200, then: 'drip' }));
    receiver.script('/break', () => ({ status: 200, body: 'ok', then: 'break' }));
    await expect(
      request(receiver.url('/never'), { method: 'POST', body: '{}', headersTimeout: 100 }),
    ).rejects.toThrow();
    const drip = await post('/drip', '{}');
    const { value } = (await drip.body[Symbol.asyncIterator]().next()) as { value: Buffer };
    expect(value.toString()).toContain('.');
    await expect(post('/break', '{}').then(({ body }) => body.text())).rejects.toThrow();
    expect(receiver.hooks('/never')).toHaveLength(1);
  });

  it('waits for hooks, and reports those it has when the others do not arrive', async () => {
    const waiting = receiver.waitFor('/late', 1);
    await post('/late', '{"id":"evt_9"}');
    expect((await waiting)[0]?.envelope.id).toBe('evt_9');
    await expect(receiver.waitFor('/late', 2, 30)).rejects.toThrow('evt_9');
  });
});

describe('the check of signatures', () => {
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  const bytes = Buffer.from('{"id":"evt_1","type":"conversion.created","data":{"revision":3}}');
  const at = 1_700_000_000_000;
  const signed = (over: Record<string, string> = {}): Hook => ({
    path: '/',
    method: 'POST',
    bytes,
    at,
    envelope: JSON.parse(bytes.toString()) as Hook['envelope'],
    headers: {
      'content-type': 'application/json',
      'x-service-signature': createHmac('sha256', secret).update(bytes).digest('hex'),
      'webhook-id': 'evt_1',
      'webhook-timestamp': '1700000000',
      'webhook-signature': `v1,${createHmac('sha256', Buffer.alloc(32, 7)).update(`evt_1.1700000000.${bytes.toString()}`).digest('base64')}`,
      'x-service-event': 'conversion.created',
      'x-service-delivery': `dlv_${'0'.repeat(26)}`,
      'x-service-revision': '3',
      'user-agent': 'Refledger/0.1.0',
      ...over,
    },
  });

  it('accepts valid signatures', () => expect(signatureFaults(signed(), secret)).toEqual([]));

  it.each([
    ['x-service-signature', 'X-Service-Signature'],
    ['webhook-signature', 'webhook-signature'],
    ['x-service-event', 'X-Service-Event'],
    ['x-service-delivery', 'X-Service-Delivery'],
    ['x-service-revision', 'X-Service-Revision'],
    ['user-agent', 'User-Agent'],
    ['content-type', 'Content-Type'],
  ])('detects a wrong %s', (header, fault) =>
    expect(signatureFaults(signed({ [header]: 'wrong' }), secret)).toEqual([fault]),
  );

  it('detects a timestamp of another attempt, which also invalidates its signature', () =>
    expect(signatureFaults(signed({ 'webhook-timestamp': '1600000000' }), secret)).toEqual([
      'webhook-timestamp',
      'webhook-signature',
    ]));

  it('detects another secret', () =>
    expect(signatureFaults(signed(), 'another secret of 24 chars')).toEqual([
      'X-Service-Signature',
      'webhook-signature',
    ]));
});
