import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Tracks which connections have a request in progress. On close, connections without one are closed
 * immediately, including those that sent nothing or only half a request, for which Node itself
 * would wait. The others are closed after their response, which tells the client so, or when time
 * is up.
 */
export class OpenConnections {
  /**
   * Each connection with the response to its latest request. Responses are sent in the order of
   * their requests, so the latest is the last one in progress.
   */
  private readonly open = new Map<Socket, ServerResponse | undefined>();
  private ending = false;

  constructor(server: Server) {
    server.on('connection', (socket: Socket) => {
      this.open.set(socket, undefined);
      socket.once('close', () => this.open.delete(socket));
    });
    // This runs after Fastify's own listener, which has called `inTurn` by then.
    server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
      this.open.set(socket, response);
      if (this.ending) this.closeAfter(response, socket);
    });
  }

  /**
   * Begins a connection's latest request once the previous response has been sent. So a client that
   * pipelines hundreds of requests has one in progress and one response in memory, like every other
   * client. The request is not begun if its connection is closed by then.
   */
  inTurn({ socket }: IncomingMessage, begin: () => void): void {
    const before = this.open.get(socket);
    if (before === undefined || before.closed) return begin();
    // Wait for the next event-loop iteration: back-to-back responses would starve other
    // connections.
    before.once('close', () =>
      setImmediate(() => {
        if (!socket.destroyed) begin();
      }),
    );
  }

  /**
   * Closes connections without a request in progress at once, and the rest after their response,
   * but after `graceMs` at the latest.
   */
  end(graceMs: number): void {
    this.ending = true;
    for (const [socket, response] of this.open) {
      if (response === undefined || response.closed) socket.destroy();
      else this.closeAfter(response, socket);
    }
    setTimeout(() => this.open.forEach((_response, socket) => socket.destroy()), graceMs).unref();
  }

  /**
   * Handles unreadable input on a connection where an earlier, complete request is still waiting
   * for its response: sends that response, then closes the connection. A rejection sent earlier
   * would be taken for that response. A response that began before its request was complete is cut
   * off. False when there is no such request.
   */
  closesAfterResponse(socket: Socket): boolean {
    const last = this.open.get(socket);
    if (last === undefined || last.closed) return false;
    if (last.req.complete) this.closeAfter(last, socket);
    else if (last.headersSent) socket.destroy();
    else return false;
    return true;
  }

  private closeAfter(response: ServerResponse, socket: Socket): void {
    // This sends `Connection: close`, so that the client sends no further request, which could be
    // carried out without a response.
    response.shouldKeepAlive = false;
    response.once('close', () => {
      if (this.open.get(socket) === response) socket.destroySoon();
    });
  }
}
