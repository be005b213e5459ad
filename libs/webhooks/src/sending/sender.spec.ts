import { createServer, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { scaledTimeout, waitFor } from '@refledger/testing';
import { keepWriting } from '../../test/hostile-receivers.js';
import { ended, ok, receives, request, sender } from '../../test/sender-harness.js';
import { openSender } from './sender.js';

describe('a well-behaved receiver', () => {
  it('gets one POST with the headers and exactly the bytes', async () => {
    const seen: {
      method?: string;
      url?: string;
      headers: IncomingMessage['headers'];
      body: string;
      version: string;
    }[] = [];
    const server = createServer((incoming, response) => {
      const chunks: Buffer[] = [];
      incoming
        .on('data', (chunk: Buffer) => chunks.push(chunk))
        .on('end', () => {
          seen.push({
            method: incoming.method,
            url: incoming.url,
            headers: incoming.headers,
            body: Buffer.concat(chunks).toString('hex'),
            version: incoming.httpVersion,
          });
          response.writeHead(202).end('thanks');
        });
    });
    const { port } = await receives(() => undefined, server);

    const result = await sender().send({
      ...request,
      url: `http://127.0.0.1:${port}/hook?a=1&b=%20#part`,
    });

    expect(result).toEqual({
      kind: 'answered',
      status: 202,
      durationMs: expect.any(Number) as number,
      address: '127.0.0.1',
      response: {
        headers: expect.arrayContaining([['transfer-encoding', 'chunked']]) as [string, string][],
        body: 'thanks',
        isTruncated: false,
      },
    });
    expect(seen).toEqual([
      {
        method: 'POST',
        url: '/hook?a=1&b=%20',
        version: '1.1',
        body: Buffer.from(request.body).toString('hex'),
        headers: {
          host: `127.0.0.1:${port}`,
          connection: 'keep-alive',
          'content-type': 'application/json',
          'x-service-event': 'conversion.created',
          'content-length': '20',
        },
      },
    ]);
  });

  it('gets later requests on the same connections', async () => {
    const there = await receives((socket) => socket.write(ok));
    const sending = sender();

    for (let i = 0; i < 20; i++)
      expect(await sending.send({ ...request, url: there.url })).toMatchObject({ status: 200 });

    // A request sent within the same tick of the event loop may find the first connection still
    // busy.
    expect(there.sockets.length).toBeLessThanOrEqual(2);
  });

  it('is reached while hundreds of requests to its origin hang', async () => {
    let held = 0;
    const there = await receives((socket) => {
      if (held >= 300) socket.write(ok);
      else held++;
    });
    const sending = sender();
    const cutOff = new AbortController();
    const hanging = Array.from({ length: 300 }, () =>
      sending.send({ ...request, url: there.url, timeoutMs: 60_000, signal: cutOff.signal }),
    );
    await waitFor(() => held === 300);

    expect(await sending.send({ ...request, url: there.url })).toMatchObject({
      kind: 'answered',
      status: 200,
    });

    cutOff.abort();
    await Promise.all(hanging);
  });

  it('gets no more connections than allowed', async () => {
    const there = await receives((socket) => socket.write(ok));
    const sending = sender({ connectionsPerOrigin: 3 });

    const results = await Promise.all(
      Array.from({ length: 20 }, () => sending.send({ ...request, url: there.url })),
    );

    expect(results.map((result) => result.kind === 'answered' && result.status)).toEqual(
      Array(20).fill(200),
    );
    expect(there.sockets.length).toBeLessThanOrEqual(3);
  });

  it.each([
    [503, '120', 120_000],
    [429, 'Thu, 01 Jan 2026 00:01:00 GMT', 60_000],
    [500, '120', undefined],
    [503, 'soon', undefined],
  ])('%i with Retry-After %s', async (status, header, retryAfterMs) => {
    const there = await receives((socket) =>
      socket.write(`HTTP/1.1 ${status} X\r\nRetry-After: ${header}\r\nContent-Length: 0\r\n\r\n`),
    );

    const result = await sender({ now: () => Date.parse('2026-01-01T00:00:00Z') }).send({
      ...request,
      url: there.url,
    });

    expect(result).toMatchObject({ kind: 'answered', status });
    expect(result.kind === 'answered' && result.retryAfterMs).toBe(retryAfterMs);
  });

  it('may send 103 before its response', async () => {
    const there = await receives((socket) =>
      socket.write(`HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n`),
    );

    expect(await sender().send({ ...request, url: there.url })).toMatchObject({
      kind: 'answered',
      status: 204,
    });
  });
});

describe('a hostile receiver', () => {
  it.each<[string, object | null, (socket: Socket) => void]>([
    ['never answers', null, () => undefined],
    [
      'drips headers',
      null,
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\n');
        keepWriting(socket, 'X-Drip: 1\r\n', 10);
      },
    ],
    [
      'drips the body of an error',
      { headers: [['content-length', '60000']], isTruncated: false },
      (socket) => {
        socket.write('HTTP/1.1 503 Busy\r\nContent-Length: 60000\r\n\r\n');
        keepWriting(socket, 'x', 10);
      },
    ],
    [
      'drips early hints',
      null,
      (socket) => keepWriting(socket, 'HTTP/1.1 103 Early Hints\r\n\r\n', 10),
    ],
    [
      'drips 100 Continue',
      null,
      (socket) => keepWriting(socket, 'HTTP/1.1 100 Continue\r\n\r\n', 10),
    ],
    [
      'leaves the body of an error open',
      { headers: [], body: '', isTruncated: false },
      (socket) => socket.write('HTTP/1.1 503 Busy\r\n\r\n'),
    ],
  ])('that %s is aborted at the deadline', async (_, received, response) => {
    const there = await receives(response);

    const timeoutMs = scaledTimeout(400);
    const result = await sender().send({ ...request, url: there.url, timeoutMs });

    expect(result).toMatchObject({
      kind: 'failed',
      outcome: 'timeout',
      error: `timed out after ${timeoutMs / 1_000} s`,
      address: '127.0.0.1',
      response: received,
    });
    expect(result.status).toBe(received === null ? undefined : 503);
    await ended(there);
  });

  it.each(['HTTP/1.1 200 OK\r\n\r\n', 'HTTP/1.1 200 OK\r\nContent-Length: 999999999\r\n\r\n'])(
    'that sends endlessly is aborted after 64 KiB, and its status counts',
    async (head) => {
      const there = await receives((socket) => {
        socket.write(head);
        keepWriting(socket, 'x'.repeat(16_384));
      });

      expect(await sender().send({ ...request, url: there.url })).toMatchObject({
        kind: 'answered',
        status: 200,
        response: { body: 'x'.repeat(2_048), isTruncated: true },
      });
      await ended(there);
    },
  );

  it('may send 64 KiB and keeps its connection', async () => {
    const there = await receives((socket) =>
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 65536\r\n\r\n${'x'.repeat(65_536)}`),
    );
    const sending = sender({ connectionsPerOrigin: 1 });

    await sending.send({ ...request, url: there.url });
    await sending.send({ ...request, url: there.url });

    expect(there.sockets).toHaveLength(1);
  });

  it.each<[string, string, (socket: Socket) => void, string?]>([
    [
      'sends huge headers',
      'the response headers are too large',
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\n');
        keepWriting(socket, `X-Big: ${'x'.repeat(1000)}\r\n`);
      },
      'too_long',
    ],
    [
      'continues endlessly',
      'too many interim responses',
      (socket) => keepWriting(socket, 'HTTP/1.1 100 Continue\r\n\r\n'),
      'too_long',
    ],
    ['resets', 'connection reset', (socket) => socket.resetAndDestroy()],
    [
      'closes without an answer',
      'connection closed before the response ended',
      (socket) => socket.end(),
    ],
    [
      'closes in the middle of the body of an error',
      'connection closed before the response ended',
      (socket) => socket.end('HTTP/1.1 410 Gone\r\nContent-Length: 10\r\n\r\nabc'),
    ],
    [
      'does not speak HTTP',
      'the response is not valid HTTP',
      (socket) => socket.write('SSH-2.0-OpenSSH_9.6\r\n'),
    ],
    [
      'sends two lengths',
      'the response is not valid HTTP',
      (socket) =>
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'),
    ],
  ])('that %s: %s', async (_, error, response, outcome = 'connection') => {
    const there = await receives(response);

    expect(await sender().send({ ...request, url: there.url })).toMatchObject({
      kind: 'failed',
      outcome,
      error,
      address: '127.0.0.1',
    });
  });

  it('that redirects is not followed', async () => {
    const inside = await receives((socket) => socket.write(ok));
    const there = await receives((socket) =>
      socket.write(`HTTP/1.1 302 Found\r\nLocation: ${inside.url}\r\nContent-Length: 0\r\n\r\n`),
    );

    expect(await sender().send({ ...request, url: there.url })).toMatchObject({
      kind: 'answered',
      status: 302,
      response: {
        headers: [
          ['location', inside.url],
          ['content-length', '0'],
        ],
      },
    });
    expect(inside.sockets).toHaveLength(0);
  });

  it('does not delay any other receiver', async () => {
    const dead = await receives(() => undefined);
    const there = await receives((socket) => socket.write(ok));
    const sending = sender();
    const giveUp = new AbortController();
    const waiting = Array.from({ length: 50 }, () =>
      sending.send({
        ...request,
        url: dead.url,
        timeoutMs: 60_000,
        signal: giveUp.signal,
      }),
    );

    const winner = await Promise.race([sending.send({ ...request, url: there.url }), ...waiting]);

    expect(winner).toMatchObject({ kind: 'answered', status: 200 });
    giveUp.abort();
    await Promise.all(waiting);
  });
});

describe('the caller', () => {
  it('can cancel, before and while sending', async () => {
    const there = await receives(() => controller.abort());
    const controller = new AbortController();
    const sending = sender();

    expect(
      await sending.send({ ...request, url: there.url, signal: controller.signal }),
    ).toMatchObject({ kind: 'failed', error: 'canceled' });
    expect(await sending.send({ ...request, url: there.url, signal: controller.signal })).toEqual({
      kind: 'failed',
      outcome: 'unknown',
      error: 'canceled',
      durationMs: 0,
      address: null,
      response: null,
    });
    expect(there.sockets).toHaveLength(1);
    await ended(there);
  });

  it('gets errors without any part of the request', async () => {
    const there = await receives((socket) => socket.write(ok));

    expect(
      await sender().send({ ...request, url: there.url, headers: { 'X-Secret': 'whsec_\n' } }),
    ).toMatchObject({ kind: 'failed', error: 'the request is not valid HTTP' });
  });

  it('gets responses to requests in flight when the sender closes, and connections end', async () => {
    const responding: Socket[] = [];
    const there = await receives((socket) => responding.push(socket));
    const sending = openSender({ mode: 'loopback' });
    const inProgress = sending.send({ ...request, url: there.url });
    await waitFor(() => responding.length === 1);

    const closed = sending.close();
    expect(await sending.send({ ...request, url: there.url })).toMatchObject({
      kind: 'failed',
      error: 'the sender is closed',
    });
    responding[0]?.write(ok);

    expect(await inProgress).toMatchObject({ kind: 'answered', status: 200 });
    await closed;
    await ended(there);
  });
});
