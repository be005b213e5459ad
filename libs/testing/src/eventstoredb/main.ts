import { parseArgs } from 'node:util';
import { startDouble } from './double-server.js';

// The first line of output says what this program is, the second where it listens.
process.stdout.write(
  'This is a double of EventStoreDB for tests, not EventStoreDB. It speaks the gRPC protocol of streams; it has no projections, links, persistent subscriptions, users, access lists, scavenging or replication of its own.\n',
);

const { values } = parseArgs({
  options: {
    file: { type: 'string' },
    host: { type: 'string', default: '127.0.0.1' },
    port: { type: 'string', default: '0' },
    'tls-key': { type: 'string' },
    'tls-certificate': { type: 'string' },
    login: { type: 'string' },
    'live-buffer': { type: 'string', default: '1000' },
    'noise-every': { type: 'string', default: '7' },
    'commit-after': { type: 'string', default: '0' },
  },
});
if (values.file === undefined)
  throw new Error('--file is missing: the file in which the double keeps its data');
const [key, certificate] = [values['tls-key'], values['tls-certificate']];
const double = await startDouble({
  file: values.file,
  host: values.host,
  port: Number(values.port),
  login: values.login,
  liveBuffer: Number(values['live-buffer']),
  noiseEvery: Number(values['noise-every']),
  commitAfterMs: Number(values['commit-after']),
  tls: key === undefined || certificate === undefined ? undefined : { key, certificate },
});
process.stdout.write(`ready at 127.0.0.1:${double.port}\n`);

process.on('SIGTERM', () => {
  double.close();
  process.exit(0);
});
