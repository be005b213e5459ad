import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Socket } from 'node:net';
import { waitFor } from '@refledger/testing';
import { certificate } from '../../test/certificate.js';
import type { Receiver } from '../../test/hostile-receivers.js';
import { ended, names, receives, request, sender } from '../../test/sender-harness.js';

type Respond = (socket: Socket, response: ServerResponse) => void;

/**
 * A receiver that handles the first request of each connection with `first`, and further ones with
 * `later`. `requests` has the number of its connection and the body of each.
 */
const reused = async (
  later: Respond,
  { first = (_, response) => response.end(), tls = false }: { first?: Respond; tls?: boolean } = {},
): Promise<Receiver & { readonly requests: readonly [number, string][] }> => {
  const connections: Socket[] = [];
  const requests: [number, string][] = [];
  const listener = (incoming: IncomingMessage, response: ServerResponse) => {
    let body = '';
    incoming.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
    incoming.on('end', () => {
      const { socket } = incoming;
      const isFirst = !connections.includes(socket);
      if (isFirst) connections.push(socket);
      requests.push([connections.indexOf(socket), body]);
      (isFirst ? first : later)(socket, response);
    });
  };
  const server = tls ? createTlsServer(certificate, listener) : createServer(listener);
  server.keepAliveTimeout = 60_000;
  return { ...(await receives(() => undefined, server)), requests };
};

/** What a client sees of a connection that the receiver has closed while it was idle. */
const ends: [string, Respond][] = [
  ['closes', (socket) => socket.end()],
  ['resets', (socket) => socket.resetAndDestroy()],
];

describe('a request on a reused connection that ends before any byte of a response', () => {
  it.each(ends)('goes out once more when the receiver %s it', async (_, end) => {
    const there = await reused(end);
    const sending = sender({ connectionsPerOrigin: 1 });
    await sending.send({ ...request, url: there.url });

    expect(await sending.send({ ...request, url: there.url })).toMatchObject({
      kind: 'answered',
      status: 200,
      address: '127.0.0.1',
    });
    expect(there.requests).toEqual([0, 0, 1].map((connection) => [connection, request.body]));
  });

  it('goes out once more over TLS', async () => {
    const there = await reused((socket) => socket.end(), { tls: true });
    const sending = sender({ connectionsPerOrigin: 1, ca: certificate.cert });
    const url = there.url.replace('http:', 'https:');
    await sending.send({ ...request, url });

    expect(await sending.send({ ...request, url })).toMatchObject({ status: 200 });
    expect(there.requests.map(([connection]) => connection)).toEqual([0, 0, 1]);
  });

  it('goes out on a connection opened for it, not on another one that was idle', async () => {
    const responses: ServerResponse[] = [];
    const there = await reused((socket) => socket.end(), {
      first: (_, response) => {
        responses.push(response);
        if (responses.length === 3) responses.forEach((each) => each.end());
        if (responses.length > 3) response.end();
      },
    });
    const sending = sender({ connectionsPerOrigin: 3 });
    const one = () => sending.send({ ...request, url: there.url });
    await Promise.all([one(), one(), one()]);

    expect(await one()).toMatchObject({ status: 200 });
    expect(there.requests.map(([connection]) => connection).slice(3)).toEqual([0, 3]);
    expect(there.sockets).toHaveLength(4);
    // long before it would be closed for being idle
    await waitFor(() => there.sockets[3]?.destroyed === true, { timeoutMs: 10_000 });
  });

  it('fails if that connection ends, too', async () => {
    let requests = 0;
    const there = await reused((socket) => socket.end(), {
      first: (socket, response) => (requests++ === 0 ? response.end() : socket.end()),
    });
    const sending = sender({ connectionsPerOrigin: 1 });
    await sending.send({ ...request, url: there.url });

    expect(await sending.send({ ...request, url: there.url })).toMatchObject({
      kind: 'failed',
      outcome: 'connection',
      error: 'connection closed before the response ended',
      address: '127.0.0.1',
    });
    expect(there.requests).toHaveLength(3);
  });

  it('goes only to a checked address', async () => {
    const there = await reused((socket) => socket.end());
    const lookup = names('10.0.0.1').mockReturnValueOnce(
      Promise.resolve([{ address: '127.0.0.1', family: 4 }]),
    );
    const sending = sender({ connectionsPerOrigin: 1, lookup });
    const url = `http://receiver.example:${there.port}/`;
    await sending.send({ ...request, url });

    expect(await sending.send({ ...request, url })).toMatchObject({
      kind: 'failed',
      outcome: 'target_not_allowed',
      address: null,
    });
  });

  it('ends when it is canceled', async () => {
    const giveUp = new AbortController();
    let requests = 0;
    const there = await reused((socket) => socket.end(), {
      first: (_, response) => (requests++ === 0 ? response.end() : giveUp.abort()),
    });
    const sending = sender({ connectionsPerOrigin: 1 });
    await sending.send({ ...request, url: there.url });

    const { signal } = giveUp;
    expect(await sending.send({ ...request, url: there.url, signal })).toMatchObject({
      outcome: 'unknown',
      error: 'canceled',
    });
    expect(there.requests).toHaveLength(3);
    await ended(there);
  });
});

describe('a request is not repeated', () => {
  it.each<[string, Respond]>([
    ['its first connection ends', (socket) => socket.end()],
    ['its first connection is reset', (socket) => socket.resetAndDestroy()],
  ])('when %s', async (_, first) => {
    const there = await reused(() => undefined, { first });

    expect(await sender().send({ ...request, url: there.url })).toMatchObject({
      kind: 'failed',
      outcome: 'connection',
    });
    expect(there.requests).toHaveLength(1);
  });

  it('when it was the first on a connection opened again', async () => {
    let requests = 0;
    const there = await reused(() => undefined, {
      first: (socket, response) =>
        requests++ === 0 ? response.setHeader('connection', 'close').end() : socket.end(),
    });
    const sending = sender({ connectionsPerOrigin: 1 });
    await sending.send({ ...request, url: there.url });

    expect(await sending.send({ ...request, url: there.url })).toMatchObject({ kind: 'failed' });
    expect(there.requests).toHaveLength(2);
  });

  it.each([
    ['one byte of a response', 'H'],
    ['early hints', 'HTTP/1.1 103 Early Hints\r\n\r\n'],
    ['100 Continue', 'HTTP/1.1 100 Continue\r\n\r\n'],
    ['a part of a body', 'HTTP/1.1 500 X\r\nContent-Length: 10\r\n\r\nabc'],
  ])('after %s', async (_, sent) => {
    const there = await reused((socket) => socket.end(sent));
    const sending = sender({ connectionsPerOrigin: 1 });
    await sending.send({ ...request, url: there.url });

    expect(await sending.send({ ...request, url: there.url })).toMatchObject({
      kind: 'failed',
      outcome: 'connection',
    });
    expect(there.requests).toHaveLength(2);
  });
});
