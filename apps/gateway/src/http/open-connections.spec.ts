import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { OpenConnections } from './open-connections.js';

describe('OpenConnections', () => {
  let server: Server;
  let connections: OpenConnections;
  const answers: ServerResponse[] = [];
  beforeEach(async () => {
    server = createServer((_request, response) => void answers.push(response));
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

  it('ends what never sent anything or only half a request at once, and what is under way after its answer', async () => {
    const arrived = once(server, 'request');
    const [silent, half, asking] = [await client(''), await client('GET / HT'), await client('GET / HTTP/1.1\r\nHost: a\r\n\r\n')];
    await arrived;
    const ended = new Promise((resolve) => server.close(resolve));
    connections.end(60_000);
    await Promise.all([closed(silent), closed(half)]);
    expect(asking.destroyed).toBe(false);
    answers.pop()?.end('done');
    await closed(asking);
    await ended;
  });

  it('gives up on an answer that does not come in time', async () => {
    const arrived = once(server, 'request');
    const asking = await client('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await arrived;
    const ended = new Promise((resolve) => server.close(resolve));
    connections.end(10);
    await closed(asking);
    await ended;
  });
});
