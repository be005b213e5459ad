import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { SlowReaders, type SlowReaderLimits } from './slow-readers.js';

const kibibyte = 1024;
const little = Buffer.alloc(64 * kibibyte);
/**
 * More than the operating system buffers for a connection, and more than the limit of the last
 * test.
 */
const large = Buffer.alloc(24 * 1024 * kibibyte);
const ask = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;

describe('SlowReaders', () => {
  let server: Server;
  const clients: Socket[] = [];
  const cutOff = { inc: jest.fn() };
  const start = async (limits: Partial<SlowReaderLimits>): Promise<void> => {
    cutOff.inc.mockClear();
    server = createServer(({ url }, response) => response.end(url === '/large' ? large : little));
    new SlowReaders(
      server,
      { slowClientDisconnects: cutOff as never },
      { patienceMs: 3_600_000, inAll: Infinity, lookEveryMs: 10, ...limits },
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
  afterEach(async () => {
    for (const socket of clients.splice(0)) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });

  it('cuts off who takes nothing for a while, before all was sent', async () => {
    await start({ patienceMs: 200 });
    const [idle, deaf] = [await client(''), await client(ask('/large'))];
    while (cutOff.inc.mock.calls.length === 0)
      await new Promise((resolve) => setImmediate(resolve));
    await closed(deaf);
    expect(deaf.bytesRead).toBeLessThan(large.length);
    expect([idle.closed, cutOff.inc.mock.calls.length]).toEqual([false, 1]);
  });

  it('leaves who reads, however much it is', async () => {
    await start({ patienceMs: 200, inAll: 0 });
    const reader = (await client('')).resume();
    for (let asked = 0; asked < 3; asked++) {
      reader.write(ask('/'));
      while (reader.bytesRead < (asked + 1) * little.length) await once(reader, 'data');
    }
    expect([reader.closed, cutOff.inc.mock.calls.length]).toEqual([false, 0]);
  });

  it('does not wait when more is unread in all than may be', async () => {
    await start({ inAll: 8 * 1024 * kibibyte });
    const [modest, much] = [await client(ask('/')), await client(ask('/large'))];
    while (cutOff.inc.mock.calls.length === 0)
      await new Promise((resolve) => setImmediate(resolve));
    await closed(much);
    expect([modest.closed, cutOff.inc.mock.calls.length]).toEqual([false, 1]);
  });
});
