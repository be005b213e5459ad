import type { Socket } from 'node:net';
import { receiver } from '../../test/hostile-receivers.js';
import { guardedConnector, type GuardedConnectorOptions } from './guarded-connector.js';

const connect = (
  hostname: string,
  port: number,
  options: Partial<GuardedConnectorOptions> = {},
): Promise<Socket> =>
  new Promise((resolve, reject) => {
    guardedConnector({ mode: 'loopback', timeoutMs: 5_000, ...options })(
      { hostname, port: String(port), protocol: 'http:' },
      (error, socket) => (error === null ? resolve(socket) : reject(error)),
    );
  });

describe('guardedConnector', () => {
  it('connects to the address that the lookup returned', async () => {
    const there = await receiver(() => undefined);
    const socket = await connect('receiver.example', there.port, {
      lookup: () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]),
    });

    expect([socket.remoteAddress, socket.remotePort]).toEqual(['127.0.0.1', there.port]);
    socket.destroy();
    await there.close();
  });

  it('uses the system’s lookup by default', async () => {
    const there = await receiver(() => undefined);
    const socket = await connect('localhost', there.port);

    expect(socket.remotePort).toBe(there.port);
    socket.destroy();
    await there.close();
  });

  it.each(['10.0.0.1', '::ffff:10.0.0.1'])(
    'checks %s, for which net makes no lookup',
    async (address) => {
      const lookup = jest.fn();

      await expect(connect(address, 9, { lookup })).rejects.toThrow(
        `address ${address} is not allowed (private)`,
      );
      expect(lookup).not.toHaveBeenCalled();
    },
  );

  it('removes the code from its errors, since undici would retry', async () => {
    const lookup = () =>
      Promise.reject(Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' }));

    const error = await connect('receiver.example', 9, { lookup }).catch(
      (thrown: unknown) => thrown,
    );

    expect(error).not.toHaveProperty('code');
    expect(error).toHaveProperty('message', 'connection closed before the response ended');
  });
});
