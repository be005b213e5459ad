import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { scaledTimeout } from '@refledger/testing';
import { keepWriting } from '../../test/hostile-receivers.js';
import { ended, ok, receives, request, sender } from '../../test/sender-harness.js';

/** Calls `then` once undici has read the headers of a response. */
const onceHeadersArrived = (then: () => void): void => {
  const channel = 'undici:request:headers';
  const listener = (): void => {
    unsubscribe(channel, listener);
    then();
  };
  subscribe(channel, listener);
};

const partial = 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc';
const chunked = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';

describe('a 2xx counts, and its connection ends, when its body', () => {
  it.each<[string, string, string, (socket: Socket) => void]>([
    [
      'ends early',
      'connection closed before the response ended',
      'abc',
      (socket) => socket.end('HTTP/1.1 202 Accepted\r\nContent-Length: 10\r\n\r\nabc'),
    ],
    [
      'ends early on a connection to be closed',
      'the response is not valid HTTP',
      'abc',
      (socket) =>
        socket.end('HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 10\r\n\r\nabc'),
    ],
    [
      'has no last chunk',
      'connection closed before the response ended',
      'abc',
      (socket) => socket.end(`${chunked}3\r\nabc\r\n`),
    ],
    [
      'has a bad chunk',
      'the response is not valid HTTP',
      'abc',
      (socket) => socket.write(`${chunked}3\r\nabc\r\nzz\r\n`),
    ],
    [
      'has a bad first chunk',
      'the response is not valid HTTP',
      '',
      (socket) => socket.write(`${chunked}-1\r\n`),
    ],
    [
      'is cut off by a reset',
      'connection reset',
      'abc',
      (socket) => {
        onceHeadersArrived(() => socket.resetAndDestroy());
        socket.write(partial);
      },
    ],
  ])('%s', async (_, error, body, response) => {
    const there = await receives(response);
    const sending = sender({ connectionsPerOrigin: 1 });
    const send = () => sending.send({ ...request, url: there.url });

    for (const connections of [1, 2]) {
      expect(await send()).toMatchObject({
        kind: 'answered',
        error: `the body of the response is incomplete: ${error}`,
        response: { body },
        address: '127.0.0.1',
      });
      expect(there.sockets).toHaveLength(connections);
    }
    await ended(there);
  });

  it.each<[string, string, (socket: Socket) => void]>([
    ['drips past the deadline', '', (socket) => keepWriting(socket, 'x', 10)],
    ['stays open', 'abc', () => undefined],
  ])('%s', async (_, body, continues) => {
    const there = await receives((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 60000\r\n\r\n');
      socket.write(body);
      continues(socket);
    });

    const timeoutMs = scaledTimeout(400);
    const result = await sender().send({ ...request, url: there.url, timeoutMs });

    expect(result).toMatchObject({
      kind: 'answered',
      status: 200,
      error: `the body of the response is incomplete: timed out after ${timeoutMs / 1_000} s`,
      response: { headers: [['content-length', '60000']] },
    });
    await ended(there);
  });

  it('is still to come when the caller cancels the request', async () => {
    const canceling = new AbortController();
    onceHeadersArrived(() => setImmediate(() => canceling.abort()));
    const there = await receives((socket) => socket.write(partial));

    const { signal } = canceling;
    expect(await sender().send({ ...request, url: there.url, signal })).toMatchObject({
      kind: 'answered',
      status: 200,
      error: 'the body of the response is incomplete: canceled',
    });
    await ended(there);
  });
});

it('a complete body leaves no error', async () => {
  const there = await receives((socket) => socket.write(ok));

  expect(await sender().send({ ...request, url: there.url })).not.toHaveProperty('error');
});
