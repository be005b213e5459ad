import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Metrics } from '@refledger/platform';

export interface SlowReaderLimits {
  /** How long a client may take nothing of what waits for it. */
  readonly patienceMs: number;
  /** Bytes that may wait in all; beyond, those clients go at once that took nothing since the last look. */
  readonly inAll: number;
  readonly lookEveryMs: number;
}

const defaults: SlowReaderLimits = {
  patienceMs: 10_000,
  inAll: 64 * 1024 * 1024,
  lookEveryMs: 1_000,
};

/**
 * Answers that wait for clients who don't read them. Node keeps such an answer for as long as the connection stands. So a
 * client that takes nothing for a while is cut off, and sooner when much waits in all.
 */
export class SlowReaders {
  private readonly clients = new Map<Socket, Client>();
  private readonly timer: NodeJS.Timeout;

  constructor(
    server: Server,
    private readonly metrics: Pick<Metrics, 'slowClientDisconnects'>,
    private readonly limits: SlowReaderLimits = defaults,
  ) {
    server.on('connection', (socket: Socket) => {
      this.clients.set(socket, { taken: 0, since: 0 });
      socket.once('close', () => this.clients.delete(socket));
    });
    this.timer = setInterval(() => this.look(performance.now()), limits.lookEveryMs).unref();
    server.once('close', () => clearInterval(this.timer));
  }

  private look(now: number): void {
    const { patienceMs, inAll } = this.limits;
    const stalled: { readonly socket: Socket; readonly waiting: number }[] = [];
    let total = 0;
    for (const [socket, client] of this.clients) {
      const waiting = socket.writableLength;
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
    this.metrics.slowClientDisconnects.inc();
    this.clients.delete(socket);
    socket.destroy();
  }
}

interface Client {
  /** Bytes that the client's machine had taken at the last look. */
  taken: number;
  /** When it last took some, or nothing waited. */
  since: number;
}

const tookSome = (socket: Socket, client: Client): boolean => {
  const taken = socket.bytesWritten - socket.writableLength;
  const some = taken > client.taken;
  client.taken = taken;
  return some;
};
