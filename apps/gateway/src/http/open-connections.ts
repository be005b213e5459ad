import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Knows which connections have a request under way. At the end those without one are closed at once, also ones that never sent anything or
 * only half a request, which Node itself would wait for; the others with their answer, which tells the client so, or when time is up.
 */
export class OpenConnections {
  /** Every connection with the answer to its latest request: answers leave in the order of their requests, so it is the last that is under way. */
  private readonly open = new Map<Socket, ServerResponse | undefined>();
  private ending = false;

  constructor(server: Server) {
    server.on('connection', (socket: Socket) => {
      this.open.set(socket, undefined);
      socket.once('close', () => this.open.delete(socket));
    });
    // after Fastify's own listener, which has asked `inTurn` by then
    server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
      this.open.set(socket, response);
      if (this.ending) this.closeAfter(response, socket);
    });
  }

  /**
   * Begins the request that came last over a connection once the answer before it is out. So a client that pipelines
   * hundreds of requests has one at work, and one answer in memory, like every other. A request whose connection is
   * gone by then is not begun.
   */
  inTurn({ socket }: IncomingMessage, begin: () => void): void {
    const before = this.open.get(socket);
    if (before === undefined || before.closed) return begin();
    // not at once: one answer after the other would leave no turn to other connections
    before.once('close', () =>
      setImmediate(() => {
        if (!socket.destroyed) begin();
      }),
    );
  }

  /** Closes what has no request under way; the rest after its answer, `graceMs` at the most. */
  end(graceMs: number): void {
    this.ending = true;
    for (const [socket, response] of this.open) {
      if (response === undefined || response.closed) socket.destroy();
      else this.closeAfter(response, socket);
    }
    setTimeout(() => this.open.forEach((_response, socket) => socket.destroy()), graceMs).unref();
  }

  /**
   * What came last over this connection can't be read. If a request that came whole before still waits for its answer, this is answered, and
   * then the connection closed: a refusal before it would be taken for its answer. False when there is none.
   */
  endsWithAnswer(socket: Socket): boolean {
    const last = this.open.get(socket);
    if (last === undefined || last.closed || !last.req.complete) return false;
    this.closeAfter(last, socket);
    return true;
  }

  private closeAfter(response: ServerResponse, socket: Socket): void {
    // says `Connection: close`, so that the client sends nothing more that could be done without an answer
    response.shouldKeepAlive = false;
    response.once('close', () => {
      if (this.open.get(socket) === response) socket.destroySoon();
    });
  }
}
