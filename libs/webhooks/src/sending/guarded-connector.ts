import { lookup as systemLookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import { SendFailure, describeError } from './send-failure.js';
import { checkAddress, type PrivateTargets } from './target-guard.js';

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
}: GuardedConnectorOptions): buildConnector.connector {
  const connect = buildConnector({
    timeout: timeoutMs,
    allowH2: false,
    autoSelectFamily: true,
    lookup: guardedLookup(lookup, mode),
    ...(ca === undefined ? {} : { ca }),
  });
  return (options, callback) => {
    const verdict = isIP(options.hostname) === 0 ? undefined : checkAddress(options.hostname, mode);
    if (verdict?.allowed === false) return callback(new SendFailure(verdict.reason), null);
    // undici retries after errors with certain codes; a SendFailure has no code
    connect(options, (...[error, socket]) =>
      error === null
        ? callback(null, socket)
        : callback(new SendFailure(describeError(error)), null),
    );
  };
}

const everyAddress: Lookup = (hostname) => systemLookup(hostname, { all: true });

/**
 * A lookup that checks addresses. `autoSelectFamily` makes `net` ask for all addresses and try them
 * in the order given.
 */
function guardedLookup(lookup: Lookup, mode: PrivateTargets): LookupFunction {
  return (hostname, _options, callback) => {
    void checkedAddresses(lookup, hostname, mode).then(
      (addresses) => callback(null, addresses),
      (error: unknown) =>
        callback(error instanceof Error ? error : new SendFailure(describeError(error)), []),
    );
  };
}

async function checkedAddresses(
  lookup: Lookup,
  hostname: string,
  mode: PrivateTargets,
): Promise<{ address: string; family: number }[]> {
  const found = await lookup(hostname);
  if (found.length === 0) throw new SendFailure('name not found');
  for (const { address } of found) {
    const verdict = checkAddress(address, mode);
    if (!verdict.allowed) throw new SendFailure(verdict.reason);
  }
  return found.map(({ address, family }) => ({ address, family }));
}
