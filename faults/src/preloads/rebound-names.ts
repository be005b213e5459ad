// For tests only: a name server whose answers change. Loaded by NODE_OPTIONS=--import, into every
// thread.
// A name under `.rebound.test` resolves to a public address the first time, and to this machine
// every time after. Nothing leaves this machine: a connection to the public address is refused
// before it is made. Each answer, and each refused connection, is one line of the file that
// FAULTS_NAMES names.
import dns, { type LookupAddress } from 'node:dns';
import { appendFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { Socket, type LookupFunction, type TcpNetConnectOpts } from 'node:net';

type Callback = (error: null, found: LookupAddress[] | string, family?: number) => void;
type Lookup = (name: string, options: { readonly all?: boolean }, callback: Callback) => unknown;
type LookupAsync = (name: string, options?: { readonly all?: boolean }) => Promise<unknown>;

const file = process.env['FAULTS_NAMES'] ?? '';
const lookedUp = new Set<string>();

/** An address of AS112, which absorbs traffic that is meant for no one. */
const publicAddress = '192.31.196.1';

const resolveOnce = (name: string): LookupAddress => {
  const address = lookedUp.has(name) ? '127.0.0.1' : publicAddress;
  lookedUp.add(name);
  appendFileSync(file, `${name} ${address}\n`);
  return { address, family: 4 };
};
const isRebound = (name: string): boolean => name.endsWith('.rebound.test');

// both forms of lookup, including the one that `net` uses by default
const lookup = Reflect.get<object, string>(dns, 'lookup') as Lookup;
const lookupAsync = Reflect.get<object, string>(dns.promises, 'lookup') as LookupAsync;
const reboundLookup: Lookup = (name, options, callback) => {
  if (!isRebound(name)) return lookup(name, options, callback);
  const found = resolveOnce(name);
  return queueMicrotask(() =>
    options.all === true ? callback(null, [found]) : callback(null, found.address, found.family),
  );
};
const reboundLookupAsync: LookupAsync = (name, options) => {
  if (!isRebound(name)) return lookupAsync(name, options);
  const found = resolveOnce(name);
  return Promise.resolve(options?.all === true ? [found] : found);
};

/** Refuses the public address between a connection's lookup and its socket. */
const refusing =
  (lookupOf: LookupFunction): LookupFunction =>
  (name, options, callback) =>
    lookupOf(name, options, (error, found, family) => {
      const addresses = typeof found === 'string' ? [found] : found?.map(({ address }) => address);
      if (error !== null || !addresses?.includes(publicAddress))
        return callback(error, found, family);
      appendFileSync(file, `${name} refused at ${publicAddress}\n`);
      callback(Object.assign(new Error('no service'), { code: 'ECONNREFUSED' }), []);
    });
const connect = Reflect.get<object, string>(Socket.prototype, 'connect') as (
  ...made: unknown[]
) => Socket;
Reflect.set(Socket.prototype, 'connect', function (this: Socket, ...made: unknown[]): Socket {
  const options = [made[0]].flat()[0] as Partial<TcpNetConnectOpts>;
  if (isRebound(options.host ?? '') && options.lookup !== undefined)
    options.lookup = refusing(options.lookup);
  return connect.apply(this, made);
});
Reflect.set(dns, 'lookup', reboundLookup);
Reflect.set(dns.promises, 'lookup', reboundLookupAsync);
syncBuiltinESMExports();
