import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Metrics } from '@refledger/platform';

export interface UnreadLimits {
  /** How long a client may take nothing of what waits for it. */
  readonly patienceMs: number;
  /** Bytes that may wait in all; beyond, those clients go at once that took nothing since the last look. */
  readonly inAll: number;
  readonly lookEveryMs: number;
}

const defaults: UnreadLimits = { patienceMs: 10_000, inAll: 64 * 1024 * 1024, lookEveryMs: 1_000 };

/**
 * Answers that wait for clients who don't read them. Node stops reading such a connection, but keeps the answers to all that came with its last
 * bytes, hundreds of short requests, for ever. So a client that takes nothing for a while is cut off, and sooner when much waits in all.
 */
export class UnreadAnswers {
  private readonly clients = new Map<Socket, Client>();
  private readonly timer: NodeJS.Timeout;

  constructor(
    server: Server,
    private readonly metrics: Pick<Metrics, 'unreadCutOff'>,
    private readonly limits: UnreadLimits = defaults,
  ) {
    server.on('connection', (socket: Socket) => {
      this.clients.set(socket, { last: undefined, earlier: [], taken: 0, since: 0 });
      socket.once('close', () => this.clients.delete(socket));
    });
    server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
      const client = this.clients.get(socket);
      if (client === undefined) return;
      // only pipelined requests come before the answer to the one before is out
      if (client.last?.closed === false) client.earlier.push(client.last);
      client.last = response;
    });
    this.timer = setInterval(() => this.look(performance.now()), limits.lookEveryMs).unref();
    server.once('close', () => clearInterval(this.timer));
  }

  private look(now: number): void {
    const { patienceMs, inAll } = this.limits;
    const stalled: { readonly socket: Socket; readonly waiting: number }[] = [];
    let total = 0;
    for (const [socket, client] of this.clients) {
      client.earlier = client.earlier.filter((response) => !response.closed);
      const waiting = waitingFor(socket, client);
      if (waiting === 0 || tookSome(socket, client)) client.since = now;
      else if (now - client.since >= patienceMs) {
        this.cutOff(socket);
        continue;
      } else stalled.push({ socket, waiting });
      total += waiting;
    }
    for (const { socket, waiting } of stalled.sort((a, b) => b.waiting - a.waiting)) {
      if (total <= inAll) return;
      this.cutOff(socket);
      total -= waiting;
    }
  }

  private cutOff(socket: Socket): void {
    this.metrics.unreadCutOff.inc();
    this.clients.delete(socket);
    socket.destroy();
  }
}

interface Client {
  last: ServerResponse | undefined;
  /** Answers before the last one that are not out. */
  earlier: ServerResponse[];
  /** Bytes that the client's machine had taken at the last look. */
  taken: number;
  /** When it last took some, or nothing waited. */
  since: number;
}

/** What is written to the connection and not taken, and what is kept of answers whose turn has not come. */
const waitingFor = (socket: Socket, { last, earlier }: Client): number =>
  [...earlier, ...(last === undefined ? [] : [last])].reduce((sum, response) => sum + (response.socket === null ? response.writableLength : 0), socket.writableLength);

const tookSome = (socket: Socket, client: Client): boolean => {
  const taken = socket.bytesWritten - socket.writableLength;
  const some = taken > client.taken;
  client.taken = taken;
  return some;
};
