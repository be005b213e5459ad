import { createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { headerOf, HttpConnection } from './http-connection.js';

describe('a connection of the load generator', () => {
  let server: Server;
  let respond: (socket: Socket, request: string) => void = () => undefined;
  let origin = '';
  const sockets = new Set<Socket>();

  beforeAll(async () => {
    server = createServer((socket) => {
      sockets.add(socket);
      socket.on('data', (chunk) => respond(socket, chunk.toString()));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });

  it('accepts a response in pieces, one request after the other', async () => {
    respond = (socket, request) => {
      socket.write('HTTP/1.1 201 Created\r\nRefledger-Position: 12\r\nContent-Le');
      setImmediate(() => {
        socket.write('ngth: 5\r\n\r\nab');
        setImmediate(() => socket.write(request.slice(0, 3)));
      });
    };
    const connection = await HttpConnection.open(origin);

    const first = await connection.exchange('one');
    const second = await connection.exchange('two');

    expect([first, second].map(({ status, body }) => [status, body.toString()])).toEqual([
      [201, 'abone'],
      [201, 'abtwo'],
    ]);
    expect(headerOf(second, 'refledger-position')).toBe('12');
    connection.close();
  });

  it('accepts a response without a body', async () => {
    respond = (socket) => socket.write('HTTP/1.1 204 No Content\r\n\r\n');
    const connection = await HttpConnection.open(origin);
    expect(await connection.exchange('one')).toMatchObject({ status: 204, body: Buffer.alloc(0) });
    connection.close();
  });

  it.each([
    [
      'a response without a length',
      (socket: Socket) => socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'),
      'Content-Length',
    ],
    [
      'a truncated response',
      (socket: Socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab'),
      'closed',
    ],
  ])('fails on %s, permanently', async (_what, how, words) => {
    respond = how;
    const connection = await HttpConnection.open(origin);
    await expect(connection.exchange('one')).rejects.toThrow(words);
    await expect(connection.exchange('two')).rejects.toThrow(words);
  });
});
