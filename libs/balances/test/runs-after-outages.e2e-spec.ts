import type { EventLog } from '@refledger/event-log';
import type { ReadStore } from '@refledger/read-store';
import { waitFor } from '@refledger/testing';
import { Embedded } from './embedded.js';
import { replacing } from './faulty-log.js';
import { payee } from './payees.js';
import { RunningLedger } from './running-ledger.js';

// no time passes that a run would wait for
jest.mock('@refledger/event-log', () => ({
  ...jest.requireActual<object>('@refledger/event-log'),
  backoffMs: () => 3_600_000,
}));

let embedded: Embedded;
let log: EventLog;
let store: ReadStore;
let ledger: RunningLedger;
beforeEach(async () => {
  embedded = new Embedded();
  log = await embedded.openLog();
  store = await embedded.openStore();
  ledger = new RunningLedger(log, store, embedded);
});
afterEach(async () => {
  await ledger.close();
  await embedded.remove();
});

it('a run that met an outage is continued as soon as the log has recovered', async () => {
  await payee(log, [1]);
  const recovering = new AbortController();
  let isAway = true;
  const append: EventLog['append'] = (...append) =>
    isAway ? Promise.reject(new Error('away')) : log.append(...append);
  const availability = { failure: undefined, recovery: recovering.signal };
  const worker = ledger.work(replacing(log, { append, availability }));
  const id = await ledger.start();
  await waitFor(() => worker.status().state === 'retrying');

  isAway = false;
  recovering.abort();

  expect(await ledger.done(id)).toMatchObject({ payouts: { created: 1 } });
  await waitFor(() => worker.status().state === 'live');
});
