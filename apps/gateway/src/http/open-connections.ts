import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Knows which connections have a request under way. At the end those without one are closed at once, also ones that never sent anything or
 * only half a request, which Node itself would wait for; the others when their answer is out, or when time is up.
 */
export class OpenConnections {
  private readonly open = new Set<Socket>();
  private readonly busy = new Map<Socket, number>();
  private ending = false;

  constructor(server: Server) {
    server.on('connection', (socket: Socket) => {
      this.open.add(socket);
      socket.once('close', () => {
        this.open.delete(socket);
        this.busy.delete(socket);
      });
    });
    server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
      this.busy.set(socket, (this.busy.get(socket) ?? 0) + 1);
      response.once('close', () => this.answered(socket));
    });
  }

  /** Closes what has no request under way; the rest after its answer, `graceMs` at the most. */
  end(graceMs: number): void {
    this.ending = true;
    for (const socket of this.open) if (!this.busy.has(socket)) socket.destroy();
    setTimeout(() => this.open.forEach((socket) => socket.destroy()), graceMs).unref();
  }

  private answered(socket: Socket): void {
    const left = (this.busy.get(socket) ?? 1) - 1;
    if (left > 0) this.busy.set(socket, left);
    else this.busy.delete(socket);
    if (left === 0 && this.ending) socket.end();
  }
}
