import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server } from 'node:net';
import { reservePort, unusedPort } from './reserve-port.js';

const listening = async (port: number): Promise<Server> => {
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  return server;
};
const closed = async (server: Server): Promise<void> => void (await once(server.close(), 'close'));

const refusal = async (port: number): Promise<unknown> => {
  const [error] = (await once(connect(port, '127.0.0.1').unref(), 'error')) as [Error];
  return error;
};

it('gives ports that refuse connections and that no one else gets', async () => {
  const ports = await Promise.all(Array.from({ length: 20 }, unusedPort));
  expect(new Set(ports).size).toBe(20);
  for (const port of ports) expect(await refusal(port)).toMatchObject({ code: 'ECONNREFUSED' });
});

it('lets a server listen again on its port, which is reserved meanwhile, as often as it likes', async () => {
  const first = await listening(0);
  const { port } = first.address() as AddressInfo;
  await closed(first);
  for (let n = 0; n < 3; n++) {
    await reservePort(port);
    expect(await refusal(port)).toMatchObject({ code: 'ECONNREFUSED' });
    await closed(await listening(port));
  }
});
