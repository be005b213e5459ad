/// <reference types="jest" />
import { randomUUID } from 'node:crypto';
import {
  type Affiliate,
  affiliateBody,
  type ApiClient,
  type Delivery,
  eventually,
  exchangeRaw,
  expectStatus,
  type HookReceiver,
  type Service,
  type ServiceFactory,
  startHookReceiver,
  TestAccount,
} from '@refledger/testing';
import { itReads } from '../it-reads.js';
import { startEcho } from './echo-receiver.js';

/** The service must log at this level: lines of every level must be free of personal values. */
export const verboseSettings = { LOG_LEVEL: 'trace' } as const;

/** Tests that neither the output nor the metrics have a personal value, whatever a client sends. */
export const privateLogsSuite = (service: ServiceFactory): void => {
  describe('logs and metrics have no personal value', () => {
    let running: Service;
    let account: TestAccount;
    beforeAll(async () => {
      running = await service();
      account = await TestAccount.open(running);
    });
    it('of a record that is created, changed, rejected and deleted', () =>
      expectAbsent(running, account.api, (word) => changeRecord(account, word)));
    it('of a refused body', () =>
      expectAbsent(running, account.api, (word) => sendRefusedBodies(account, word)));
    it('of a path or a query', () =>
      expectAbsent(running, account.api, (word) => sendUrls(account.api, word)));
    it('of a header', () =>
      expectAbsent(running, account.api, (word) => sendHeaders(account.api, word)));
    it('of a request that is not valid HTTP', () =>
      expectAbsent(running, account.api, (word) => sendBrokenRequests(running, word)));
    itReads(service)('of a webhook that fails and is echoed', () =>
      expectAbsent(running, account.api, (word) => failWebhooks(running, account, word)),
    );
  });
};

/**
 * Expects that what the service has printed, and its metrics, do not have the words that `act`
 * takes. Waits for the line of a request after `act`.
 */
const expectAbsent = async (
  running: Service,
  api: ApiClient,
  act: (word: () => string) => Promise<unknown>,
): Promise<void> => {
  const words: string[] = [];
  await act(() => {
    const word = `person${randomUUID().replaceAll('-', '')}`;
    words.push(word);
    return word;
  });
  const last = randomUUID();
  await api.get('/v1/account', { headers: { 'x-request-id': last } });
  await eventually(() => expect(running.logs().includes(last)).toBe(true));
  const metrics = running.opsUrl && (await (await fetch(`${running.opsUrl}/metrics`)).text());
  const printed = running.logs() + metrics;
  const lines = printed.split('\n').filter((line) => words.some((word) => line.includes(word)));
  expect(words.length).toBeGreaterThan(0);
  expect(lines).toEqual([]);
};

type Word = () => string;

const person = (word: Word) => ({
  email: `${word()}@example.com`,
  name: word(),
  external_id: word(),
  metadata: { [word()]: word() },
});

const changeRecord = async (account: TestAccount, word: Word): Promise<void> => {
  const { id } = await account.affiliate(person(word));
  const path = `/v1/affiliates/${id}`;
  for (const change of [
    { ...person(word), payout_email: `${word()}@example.com` },
    { payout_hold: true, payout_hold_reason: word() },
    { status: 'rejected', reason: word() },
  ])
    expectStatus(200, await account.api.patch<Affiliate>(path, change));
  expectStatus(204, await account.api.delete(path));
};

const sendRefusedBodies = async (account: TestAccount, word: Word): Promise<void> => {
  const email = `${word()}@example.com`;
  await account.affiliate({ email });
  const post = async (status: number, body: string) => {
    const headers = { 'content-type': 'application/json' };
    expectStatus(status, await account.api.send('POST', '/v1/affiliates', { body, headers }));
  };
  await post(409, JSON.stringify(affiliateBody({ ...person(word), email })));
  await post(400, `{"email":"${word()}@example.com", ${word()}`);
  await post(400, `"${word()}`);
  for (const over of [
    { [word()]: word() },
    { name: word().repeat(1_000) },
    { name: { [word()]: word() } },
    { email: [word()] },
    { email: word() },
    { status: word() },
    { program_id: word() },
    { metadata: { [word()]: [word()], [word().repeat(100)]: word() } },
  ])
    await post(422, JSON.stringify(affiliateBody(over)));
  const lines = `{"id":"${word()}"}\n{"${word()}\n`;
  const headers = { 'content-type': 'application/x-ndjson' };
  expectStatus(
    200,
    await account.api.post('/v1/payouts/import', undefined, { body: lines, headers }),
  );
};

const sendUrls = async (api: ApiClient, word: Word): Promise<void> => {
  const email = (): string => `${word()}@example.com`;
  for (const path of [
    `/${email()}`,
    `/v1/${email()}`,
    `/v1/affiliates/${email()}`,
    `/v1/affiliates/${email()}/stats`,
    `/v1/affiliates/${word()}/${word()}`,
    `/v1/webhooks/${word()}/deliveries/${word()}`,
    `/v1/programs/${email()}`,
    `/docs/${email()}`,
    `/health/live/${email()}`,
    `/v1/affiliates/%zz${word()}`,
    `/v1/affiliates/${word().repeat(300)}`,
  ])
    for (const method of ['GET', 'PUT', 'HEAD']) await api.send(method, path);
  for (const query of ['email', 'external_id', 'q', 'status', 'cursor', 'program_id', word()])
    for (const path of ['/v1/affiliates', '/v1/nowhere', '/docs', '/health/ready'])
      await api.get(path, { query: { [query]: email() } });
  await api.get(`/v1/affiliates?email=%zz${word()}`);
};

const sendHeaders = async (api: ApiClient, word: Word): Promise<void> => {
  for (const name of [
    'x-request-id',
    'idempotency-key',
    'if-match',
    'refledger-min-position',
    'user-agent',
    'accept',
    'content-type',
    'authorization',
  ]) {
    const headers = { [name]: `${word()}@example.com` };
    await api.post('/v1/affiliates', affiliateBody(), { headers });
    await api.get('/v1/nowhere', { headers });
  }
  await api.withKey(word()).get('/v1/account');
};

const sendBrokenRequests = async ({ baseUrl }: Service, word: Word): Promise<void> => {
  for (const request of [
    `GET /${word()} HTTP/9\r\n\r\n`,
    `${word()} /v1/account HTTP/1.1\r\nHost: x\r\n\r\n`,
    `GET http://${word()}/${word()} HTTP/1.1\r\nHost: ${word()}\r\n\r\n`,
    `GET / HTTP/1.1\r\nHost: x\r\n${word()}\r\n\r\n`,
    `GET /v1/account HTTP/1.1\r\nX-Request-Id: ${word()}\r\n\r\n`,
    `POST /v1/affiliates HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${word()}\r\n`,
  ])
    await exchangeRaw(baseUrl, request);
};

const failWebhooks = async (running: Service, account: TestAccount, word: Word): Promise<void> => {
  const receiver = await startHookReceiver();
  const echo = await startEcho();
  try {
    const urls = [...scriptFailures(receiver), echo.url];
    const events = ['affiliate.created', 'affiliate.updated'];
    const endpoints = await Promise.all(urls.map((url) => account.subscribe(url, events)));
    await account.affiliate(person(word));
    for (const { id } of endpoints)
      await eventually(async () => {
        const [delivery] = await account.all<Delivery>(`/v1/webhooks/${id}/deliveries`);
        expect(delivery?.attempt_count).toBe(1);
        expect(delivery?.status).not.toBe('sending');
      });
    // the attempt at the first endpoint is logged
    const failing = `webhooks to ${endpoints[0]?.id} are failing`;
    await eventually(() => expect(running.logs().includes(failing)).toBe(true));
  } finally {
    await Promise.all([receiver.close(), echo.close()]);
  }
};

/** Scripts endpoints that fail and return the body, and returns their URLs. */
const scriptFailures = (receiver: HookReceiver): string[] => {
  receiver.script('/body', ({ bytes }) => ({ status: 500, body: bytes }));
  receiver.script('/cut', ({ bytes }) => ({ status: 200, body: bytes, then: 'break' }));
  receiver.script('/gone', ({ bytes }) => ({ status: 410, body: bytes }));
  receiver.script('/header', ({ bytes }) => ({
    status: 302,
    headers: { location: `/${encodeURIComponent(bytes.toString())}` },
  }));
  return ['/body', '/cut', '/gone', '/header'].map((path) => receiver.url(path));
};
