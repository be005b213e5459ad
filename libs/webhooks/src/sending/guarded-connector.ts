import { lookup as systemLookup } from 'node:dns/promises';
import { isIP, Socket, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import { SendFailure, causeOf } from './send-failure.js';
import { checkAddress, type PrivateTargets } from '@refledger/webhook-endpoints';

/** Resolves a name to all its addresses. Rejects when there is none. */
export type Lookup = (
  hostname: string,
) => Promise<readonly { readonly address: string; readonly family: number }[]>;

export interface GuardedConnectorOptions {
  readonly mode: PrivateTargets;
  /** Deadline in milliseconds for the lookup, the connection and TLS. */
  readonly timeoutMs: number;
  readonly lookup?: Lookup | undefined;
  readonly ca?: string | undefined;
}

/**
 * A connector of undici that also reports the address of each connection, as soon as it is made:
 * before TLS.
 */
export type GuardedConnector = (
  options: buildConnector.Options,
  callback: buildConnector.Callback,
  onAddress?: (address: string | null) => void,
) => void;

/**
 * Connects to checked addresses only. A name is resolved once, each address of the answer is
 * checked (one forbidden address refuses them all), and the socket gets exactly these addresses: no
 * second lookup happens between check and connection. An address in the URL is checked here, since
 * `net` does no lookup for it. Every open connection therefore goes to a checked address and may be
 * reused.
 */
export function guardedConnector({
  mode,
  timeoutMs,
  lookup = everyAddress,
  ca,
}: GuardedConnectorOptions): GuardedConnector {
  const connect = buildConnector({
    timeout: timeoutMs,
    allowH2: false,
    autoSelectFamily: true,
    lookup: guardedLookup(lookup, mode),
    ...(ca === undefined ? {} : { ca }),
  });
  return (options, callback, onAddress) => {
    const verdict = isIP(options.hostname) === 0 ? undefined : checkAddress(options.hostname, mode);
    if (verdict?.allowed === false) return callback(refused(verdict.reason), null);
    let address: string | null = null;
    const socket: unknown = connect(options, (...[error, connected]) =>
      error === null ? callback(null, connected) : callback(failureOf(error, address), null),
    );
    // with TLS, a connection may fail after it was made; undici's own listener must not come first
    if (socket instanceof Socket)
      socket.prependOnceListener('connect', () => {
        address = socket.remoteAddress ?? null;
        onAddress?.(address);
      });
  };
}

const refused = (reason: string): SendFailure => new SendFailure('target_not_allowed', reason);

/** undici retries after errors with certain codes; a SendFailure has no code. */
const failureOf = (error: unknown, address: string | null = null): SendFailure => {
  const { outcome, message } = causeOf(error);
  return new SendFailure(outcome, message, address);
};

const everyAddress: Lookup = (hostname) => systemLookup(hostname, { all: true });

/**
 * A lookup that checks addresses. `autoSelectFamily` makes `net` ask for all addresses and try them
 * in the order given.
 */
function guardedLookup(lookup: Lookup, mode: PrivateTargets): LookupFunction {
  return (hostname, _options, callback) => {
    void checkedAddresses(lookup, hostname, mode).then(
      (addresses) => callback(null, addresses),
      (error: unknown) => callback(error instanceof Error ? error : failureOf(error), []),
    );
  };
}

async function checkedAddresses(
  lookup: Lookup,
  hostname: string,
  mode: PrivateTargets,
): Promise<{ address: string; family: number }[]> {
  const found = await lookup(hostname);
  if (found.length === 0) throw new SendFailure('dns', 'name not found');
  for (const { address } of found) {
    const verdict = checkAddress(address, mode);
    if (!verdict.allowed) throw refused(verdict.reason);
  }
  return found.map(({ address, family }) => ({ address, family }));
}
