import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Knows which connections have a request under way. At the end those without one are closed at once, also ones that never sent anything or
 * only half a request, which Node itself would wait for; the others with their answer, which tells the client so, or when time is up.
 */
export class OpenConnections {
  private readonly open = new Set<Socket>();
  private readonly underWay = new Map<ServerResponse, Socket>();
  private ending = false;

  constructor(server: Server) {
    server.on('connection', (socket: Socket) => {
      this.open.add(socket);
      socket.once('close', () => this.open.delete(socket));
    });
    server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
      this.underWay.set(response, socket);
      if (this.ending) response.shouldKeepAlive = false;
      response.once('close', () => this.answered(response, socket));
    });
  }

  /** Closes what has no request under way; the rest after its answer, `graceMs` at the most. */
  end(graceMs: number): void {
    this.ending = true;
    // says `Connection: close`, so that the client sends nothing more that could be done without an answer
    for (const response of this.underWay.keys()) response.shouldKeepAlive = false;
    const busy = new Set(this.underWay.values());
    for (const socket of this.open) if (!busy.has(socket)) socket.destroy();
    setTimeout(() => this.open.forEach((socket) => socket.destroy()), graceMs).unref();
  }

  private answered(response: ServerResponse, socket: Socket): void {
    this.underWay.delete(response);
    if (this.ending && ![...this.underWay.values()].includes(socket)) socket.destroySoon();
  }
}
