import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { SlowReaders } from './slow-readers.js';

const kibibyte = 1024;
const little = Buffer.alloc(64 * kibibyte);
/**
 * More than the operating system buffers for a connection, and more than the limit of the last
 * test.
 */
const large = Buffer.alloc(24 * 1024 * kibibyte);
const request = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;

describe('SlowReaders', () => {
  let server: Server;
  const clients: Socket[] = [];
  const cutOff = { inc: jest.fn() };
  const start = async (
    limits: Partial<ConstructorParameters<typeof SlowReaders>[2]>,
  ): Promise<void> => {
    cutOff.inc.mockClear();
    server = createServer(({ url }, response) => response.end(url === '/large' ? large : little));
    new SlowReaders(
      server,
      { slowClientDisconnects: cutOff as never },
      { timeoutMs: 3_600_000, total: Infinity, pollIntervalMs: 10, ...limits },
    );
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  };
  const client = async (sent: string): Promise<Socket> => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').on(
      'error',
      () => undefined,
    );
    clients.push(socket);
    await once(socket, 'connect');
    socket.write(sent);
    return socket;
  };
  const closed = (socket: Socket): Promise<unknown> => once(socket.resume(), 'close');
  const wereCutOff = async (count: number): Promise<void> => {
    while (cutOff.inc.mock.calls.length < count)
      await new Promise((resolve) => setImmediate(resolve));
  };
  afterEach(async () => {
    for (const socket of clients.splice(0)) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });

  it('disconnects a client that reads nothing for a while during a response', async () => {
    await start({ timeoutMs: 200 });
    const [idle, deaf] = [await client(''), await client(request('/large'))];
    await wereCutOff(1);
    await closed(deaf);
    expect(deaf.bytesRead).toBeLessThan(large.length);
    expect([idle.closed, cutOff.inc.mock.calls.length]).toEqual([false, 1]);
  });

  it('lets a client finish its request before it reads', async () => {
    await start({ timeoutMs: 100 });
    const sender = await client('POST /large HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n1');
    const deaf = await client(request('/large'));
    // `deaf` must read nothing until it is cut off
    await wereCutOff(1);
    await closed(deaf);
    expect([sender.closed, cutOff.inc.mock.calls.length]).toEqual([false, 1]);
    sender.write('2');
    await wereCutOff(2);
    await closed(sender);
  });

  it('keeps a client that reads, however large the response', async () => {
    await start({ timeoutMs: 200, total: 0 });
    const reader = (await client('')).resume();
    for (let asked = 0; asked < 3; asked++) {
      reader.write(request('/'));
      while (reader.bytesRead < (asked + 1) * little.length) await once(reader, 'data');
    }
    expect([reader.closed, cutOff.inc.mock.calls.length]).toEqual([false, 0]);
  });

  it('does not wait when the unread total exceeds the limit', async () => {
    await start({ total: 8 * 1024 * kibibyte });
    const [modest, much] = [await client(request('/')), await client(request('/large'))];
    await wereCutOff(1);
    await closed(much);
    expect([modest.closed, cutOff.inc.mock.calls.length]).toEqual([false, 1]);
  });
});
