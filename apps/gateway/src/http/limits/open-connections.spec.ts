import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { OpenConnections } from './open-connections.js';

describe('OpenConnections', () => {
  let server: Server;
  let connections: OpenConnections;
  const responses: ServerResponse[] = [];
  beforeEach(async () => {
    responses.length = 0;
    server = createServer((_request, response) => void responses.push(response));
    connections = new OpenConnections(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });

  const client = async (sent: string): Promise<Socket> => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    const accepted = once(server, 'connection');
    await once(socket, 'connect');
    await accepted;
    socket.write(sent);
    return socket.resume();
  };
  const closed = (socket: Socket): Promise<unknown> => once(socket, 'close');

  it('closes idle connections and those with half a request immediately, and busy ones after their response', async () => {
    const arrived = once(server, 'request');
    const [silent, half, asking] = [
      await client(''),
      await client('GET / HT'),
      await client('GET / HTTP/1.1\r\nHost: a\r\n\r\n'),
    ];
    await arrived;
    const ended = new Promise((resolve) => server.close(resolve));
    connections.end(60_000);
    await Promise.all([closed(silent), closed(half)]);
    expect(asking.destroyed).toBe(false);
    responses.pop()?.end('done');
    await closed(asking);
    await ended;
  });

  it('gives up on a response that does not arrive in time', async () => {
    const arrived = once(server, 'request');
    const asking = await client('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await arrived;
    const ended = new Promise((resolve) => server.close(resolve));
    connections.end(10);
    await closed(asking);
    await ended;
  });

  it.each([
    ['cuts off a response that started before', true],
    ['leaves a request to be rejected if no response started before', false],
  ])('%s the request was complete', async (_, hasBegun) => {
    const arrived = once(server, 'request');
    const half = await client('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nhalf');
    await arrived;
    const [response] = responses;
    const socket = response?.socket;
    if (!response || !socket) throw new Error('no request');
    if (hasBegun) response.write('begun');
    expect(connections.closesAfterResponse(socket)).toBe(hasBegun);
    expect(socket.destroyed).toBe(hasBegun);
    const ended = new Promise((resolve) => server.close(resolve));
    connections.end(0);
    await Promise.all([closed(half), ended]);
  });

  describe('inTurn', () => {
    const begun: string[] = [];
    beforeEach(() => {
      begun.length = 0;
      // The same order as in the gateway: `inTurn` runs before the connections have seen the
      // request.
      server.prependListener('request', (request) =>
        connections.inTurn(request, () => begun.push(request.url ?? '')),
      );
    });
    const pipelined = async (...paths: string[]): Promise<Socket> => {
      const socket = await client(
        paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`).join(''),
      );
      while (responses.length < paths.length) await once(server, 'request');
      return socket;
    };
    afterEach(() => new Promise((resolve) => void (connections.end(0), server.close(resolve))));

    it('starts each pipelined request one tick after the previous response is sent', async () => {
      await pipelined('/1', '/2', '/3');
      for (const [n, response] of responses.splice(0, 2).entries()) {
        response.end('done');
        await once(response, 'close');
        expect(begun).toHaveLength(n + 1);
        await yieldToEventLoop();
      }
      expect(begun).toEqual(['/1', '/2', '/3']);
    });

    it('does not delay other connections', async () => {
      await pipelined('/1', '/2');
      const arrived = once(server, 'request');
      await client('GET /other HTTP/1.1\r\nHost: a\r\n\r\n');
      await arrived;
      expect(begun).toEqual(['/1', '/other']);
    });

    it('starts no request of a closed connection', async () => {
      const socket = await pipelined('/1', '/2');
      const [first] = responses;
      const gone = first === undefined ? undefined : once(first, 'close');
      socket.destroy();
      await gone;
      await yieldToEventLoop();
      expect(begun).toEqual(['/1']);
    });
  });
});
