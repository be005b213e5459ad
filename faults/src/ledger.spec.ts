import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compareBalance } from './compare/balance.js';
import { Ledger, readLedger, type Intent } from './ledger.js';

const intent: Intent = {
  what: 'conversion.create',
  method: 'POST',
  path: '/v1/conversions',
  body: { sale_amount: 5 },
  key: 'k',
};

describe('the ledger', () => {
  let directory: string;
  beforeEach(() => void (directory = mkdtempSync(join(tmpdir(), 'refledger-ledger-'))));
  afterEach(() => rmSync(directory, { recursive: true }));

  it('reads back requests and their outcomes in any order', async () => {
    const ledger = new Ledger(join(directory, 'ledger.jsonl'));
    const [first, second, third] = [
      ledger.sent(intent),
      ledger.sent({ ...intent, retryOf: 1 }),
      ledger.sent(intent),
    ];
    ledger.note({ round: 1 });
    ledger.came(second, { report: 'unknown', error: 'ECONNRESET' });
    ledger.came(first, { report: 'refused', status: 409, code: 'conversion_exists' });
    ledger.close();
    const entries = await readLedger(ledger.path);
    expect(entries).toEqual([
      {
        n: first,
        intent,
        seen: 0n,
        outcome: { report: 'refused', status: 409, code: 'conversion_exists' },
      },
      {
        n: second,
        intent: { ...intent, retryOf: 1 },
        seen: 0n,
        outcome: { report: 'unknown', error: 'ECONNRESET' },
      },
      { n: third, intent, seen: 0n },
    ]);
    const { figures, differences } = compareBalance(entries);
    expect([figures, differences]).toEqual([
      { sent: 3, acknowledged: 0, refused: 1, unknown: 1, 'sent again': 1 },
      ['request 3 has no outcome in the ledger'],
    ]);
  });

  it('knows the highest position that was acknowledged before each request', async () => {
    const ledger = new Ledger(join(directory, 'ledger.jsonl'));
    const [first, second] = [ledger.sent(intent), ledger.sent(intent)];
    const done = { report: 'acknowledged', status: 201, replayed: false, record: null } as const;
    ledger.came(second, { ...done, position: '12' });
    ledger.sent(intent);
    ledger.came(first, { ...done, position: '9' });
    ledger.sent(intent);
    ledger.close();
    expect((await readLedger(ledger.path)).map(({ seen }) => seen)).toEqual([0n, 0n, 12n, 12n]);
  });
});
