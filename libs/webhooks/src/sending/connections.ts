import type { Socket } from 'node:net';
import { Agent, Client, Pool, type Dispatcher } from 'undici';
import type { GuardedConnector } from './guarded-connector.js';
import { dropInterimResponses, type InterimResponses } from './interim-responses.js';

/** A request that is told which connection carries it. */
interface CarriedRequest extends Dispatcher.DispatchOptions {
  readonly origin: string;
  readonly onConnection: (connection: Connection) => void;
}

export interface ConnectionsOptions {
  readonly connect: GuardedConnector;
  /** Maximum connections per origin; null for no limit. Those opened for one request are extra. */
  readonly connectionsPerOrigin: number | null;
}

/** HTTP/1.1 connections to all origins. */
export interface Connections {
  /**
   * Sends a request on a kept-alive connection of its origin's pool, or on a new connection that
   * carries nothing else.
   */
  dispatch(use: 'pool' | 'new', request: CarriedRequest, handler: Dispatcher.DispatchHandler): void;
  destroy(): Promise<void>;
}

export const openConnections = ({
  connect,
  connectionsPerOrigin,
}: ConnectionsOptions): Connections => {
  const agent = new Agent({
    factory: (origin) =>
      new Pool(new URL(origin), {
        connections: connectionsPerOrigin,
        // A connection lives for at most five minutes, so that a changed DNS entry takes effect
        // even under load.
        clientTtl: 300_000,
        factory: (url) => new Connection(url, connect),
      }),
  });
  const single = new Set<Connection>();
  return {
    dispatch(use, request, handler) {
      if (use === 'pool') return void agent.dispatch(request, handler);
      const connection = new Connection(new URL(request.origin), connect);
      single.add(connection);
      connection.dispatch(request, handler);
      // resolves after its request has ended
      void connection.close().finally(() => single.delete(connection));
    },
    destroy: async () => {
      await Promise.all([agent, ...single].map((connection) => connection.destroy()));
    },
  };
};

/** A request that has been written to a connection. */
export interface SentOn {
  /** Whether the connection had carried another request before, and no byte has come since. */
  wasStale(): boolean;
}

/** One connection, which is opened again when a request comes after it was closed. */
export class Connection extends Client {
  private socket: Socket | undefined;
  private interimResponses: InterimResponses | undefined;
  private connectedTo: string | null = null;
  /** The number of requests since it was last opened. */
  private requests = 0;

  constructor(origin: URL, connect: GuardedConnector) {
    super(origin, {
      connect: (target, callback) => {
        this.connectedTo = null;
        this.requests = 0;
        connect(
          target,
          (...result) => {
            this.socket = result[1] ?? undefined;
            this.interimResponses = this.socket && dropInterimResponses(this.socket);
            callback(...result);
          },
          (address) => void (this.connectedTo = address),
        );
      },
      pipelining: 1,
      maxHeaderSize: 16 * 1024,
      // each exchange has its own deadline, so undici's timeouts for headers and body are off
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveMaxTimeout: 60_000,
    });
  }

  /** The IP address that it is connected to, or was last; null before that. */
  get address(): string | null {
    return this.connectedTo;
  }

  /** Notes that a request is written to it. */
  startRequest(): SentOn {
    const { socket } = this;
    this.interimResponses?.startResponse();
    const isReused = this.requests++ > 0;
    const bytesBefore = socket?.bytesRead;
    return { wasStale: () => isReused && socket?.bytesRead === bytesBefore };
  }

  override dispatch(request: CarriedRequest, handler: Dispatcher.DispatchHandler): boolean {
    request.onConnection(this);
    return super.dispatch(request, handler);
  }
}
