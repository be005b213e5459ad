import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';

type Behavior = (socket: Socket) => void;

const repeat = (socket: Socket, text: string, everyMs: number): void => {
  const timer = setInterval(() => socket.write(text), everyMs);
  socket.once('close', () => clearInterval(timer));
};
const flood = (socket: Socket, text: string): void => {
  const more = (): void => {
    while (socket.writable && socket.write(text));
  };
  socket.on('drain', more);
  more();
};
const ok = 'HTTP/1.1 200 OK\r\n';

/** Hostile behaviors of a receiver once a request has started to arrive, by name. */
const onRequest: Readonly<Record<string, Behavior>> = {
  never: () => undefined,
  'drips its body': (socket) => {
    socket.write(`${ok}Content-Length: 100000\r\n\r\n`);
    repeat(socket, 'x', 1_000);
  },
  'drips its headers': (socket) => {
    socket.write(`${ok}X: `);
    repeat(socket, 'x', 1_000);
  },
  'endless body': (socket) => {
    socket.write(`${ok}\r\n`);
    flood(socket, 'x'.repeat(65_536));
  },
  'endless headers': (socket) => {
    socket.write(ok);
    flood(socket, `X: ${'x'.repeat(8_000)}\r\n`);
  },
  'endless chunks': (socket) => {
    socket.write(`${ok}Transfer-Encoding: chunked\r\n\r\n`);
    flood(socket, '1\r\nx\r\n'.repeat(1_000));
  },
  'endless 100 Continue': (socket) => flood(socket, 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(100)),
  'resets at once': (socket) => socket.resetAndDestroy(),
  'resets after its headers': (socket) =>
    socket.write(`${ok}Content-Length: 10\r\n\r\n`, () => socket.resetAndDestroy()),
  'resets in the middle of its body': (socket) =>
    socket.write(`${ok}Content-Length: 10\r\n\r\nx`, () => socket.resetAndDestroy()),
  'closes at once': (socket) => socket.end(),
  'closes in the middle of its body': (socket) => socket.end(`${ok}Content-Length: 10\r\n\r\nx`),
  garbage: (socket) => socket.end('\0\x01\x02 nothing that is HTTP\r\n\r\n'),
  'two lengths': (socket) => socket.end(`${ok}Content-Length: 1\r\nContent-Length: 2\r\n\r\nxx`),
  'a protocol that was not asked for': (socket) =>
    socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n'),
};

export interface HostileReceivers {
  /** Returns a new URL per endpoint, cycling through all behaviors. */
  urls(count: number): string[];
  /** Returns the number of connections to the target of the redirects. */
  redirected(): number;
  close(): Promise<void>;
}

/** Starts receivers on 127.0.0.1 that misbehave in every way that a receiver can. */
export const startHostileReceivers = async (): Promise<HostileReceivers> => {
  const servers: Server[] = [];
  const sockets = new Set<Socket>();
  const listen = async (onConnection: Behavior): Promise<number> => {
    const server = createServer((socket) => {
      sockets.add(socket);
      onConnection(socket.on('error', () => undefined).on('close', () => sockets.delete(socket)));
    }).listen(0, '127.0.0.1');
    servers.push(server);
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  };
  let redirected = 0;
  const inner = await listen(() => redirected++);
  const behaviours: Readonly<Record<string, Behavior>> = {
    ...onRequest,
    'leads elsewhere': (socket) =>
      socket.end(
        `HTTP/1.1 307 Temporary Redirect\r\nLocation: http://127.0.0.1:${inner}/\r\nContent-Length: 0\r\n\r\n`,
      ),
  };
  const origins = [
    ...(await Promise.all(
      Object.values(behaviours).map(
        async (behave) =>
          `http://127.0.0.1:${await listen((socket) => void socket.once('data', () => behave(socket)))}`,
      ),
    )),
    // the following do not wait for a request
    `http://127.0.0.1:${await listen((socket) => socket.resetAndDestroy())}`,
    `http://127.0.0.1:${await listen((socket) => socket.end(`${ok}Content-Length: 0\r\n\r\n`))}`,
    `https://127.0.0.1:${await listen((socket) => socket.resume())}`,
    `https://127.0.0.1:${await listen((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))}`,
  ];
  return {
    urls: (count) => Array.from({ length: count }, (_, n) => `${origins[n % origins.length]}/${n}`),
    redirected: () => redirected,
    close: async () => {
      sockets.forEach((socket) => socket.destroy());
      await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
    },
  };
};
