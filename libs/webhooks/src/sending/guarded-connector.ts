import { lookup as systemLookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import { SendFailure, words } from './send-failure.js';
import { checkAddress, type PrivateTargets } from './target-guard.js';

/** All addresses of a name. Rejects when there is none. */
export type Lookup = (
  hostname: string,
) => Promise<readonly { readonly address: string; readonly family: number }[]>;

export interface GuardedConnectorOptions {
  readonly mode: PrivateTargets;
  /** Covers the lookup, the connection and TLS. */
  readonly timeoutMs: number;
  readonly lookup?: Lookup | undefined;
  readonly ca?: string | undefined;
}

/**
 * Makes connections to checked addresses only. A name is resolved once, each address of the answer is checked (one bad one refuses
 * them all), and the socket is handed these very addresses: nothing asks again between check and connection. An address written
 * in the URL is checked here, since `net` asks no lookup for it. So every open connection is a checked one, and may be used again.
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
    // undici tries again after some kinds of error, told by their code: a failure of ours has none.
    connect(options, (...[error, socket]) =>
      error === null ? callback(null, socket) : callback(new SendFailure(words(error)), null),
    );
  };
}

const everyAddress: Lookup = (hostname) => systemLookup(hostname, { all: true });

/** `autoSelectFamily` makes `net` ask for all addresses, and it tries those that it is given, in their order. */
function guardedLookup(lookup: Lookup, mode: PrivateTargets): LookupFunction {
  return (hostname, _options, callback) => {
    void checkedAddresses(lookup, hostname, mode).then(
      (addresses) => callback(null, addresses),
      (error: unknown) =>
        callback(error instanceof Error ? error : new SendFailure(words(error)), []),
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
