import { Agent, Client, Pool, type Dispatcher } from 'undici';
import type { GuardedConnector } from './guarded-connector.js';

/** A request that is told which connection carries it. */
export interface CarriedRequest extends Dispatcher.DispatchOptions {
  readonly onConnection?: (connection: Connection) => void;
}

export interface ConnectionsOptions {
  readonly connect: GuardedConnector;
  /** Maximum connections per origin; null for no limit. */
  readonly connectionsPerOrigin: number | null;
}

/** Opens a pool of kept-alive HTTP/1.1 connections for each origin. */
export const openConnections = ({ connect, connectionsPerOrigin }: ConnectionsOptions): Agent =>
  new Agent({
    factory: (origin) =>
      new Pool(new URL(origin), {
        connections: connectionsPerOrigin,
        // A connection lives for at most five minutes, so that a changed DNS entry takes effect
        // even under load.
        clientTtl: 300_000,
        factory: (url) => new Connection(url, connect),
      }),
  });

/** One connection, which is opened again when a request comes after it was closed. */
export class Connection extends Client {
  private connectedTo: string | null = null;

  constructor(origin: URL, connect: GuardedConnector) {
    super(origin, {
      connect: (target, callback) => {
        this.connectedTo = null;
        connect(target, callback, (address) => void (this.connectedTo = address));
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

  override dispatch(request: CarriedRequest, handler: Dispatcher.DispatchHandler): boolean {
    request.onConnection?.(this);
    return super.dispatch(request, handler);
  }
}
