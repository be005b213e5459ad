import type { Position } from '@refledger/contracts';
import { chainStart } from '@refledger/domain';
import type { LoggedEvent } from '@refledger/event-log';
import { ledgerLines } from './ledger-lines.js';

const balance = 'bal_1';
const event = (number: number): LoggedEvent =>
  ({
    type: 'balance.posted',
    data: { number, description: 'x'.repeat(200), chain: `chain ${number}` },
    position: String(number) as Position,
    metadata: { recorded_at: '2026-01-31T09:30:00.000Z' },
  }) as LoggedEvent;
async function* batches(
  ...all: readonly (readonly LoggedEvent[])[]
): AsyncGenerator<readonly LoggedEvent[]> {
  for (const batch of all) yield await Promise.resolve(batch);
}
const piecesOf = async (
  position: string,
  ...all: readonly (readonly LoggedEvent[])[]
): Promise<string[]> => {
  const pieces: string[] = [];
  for await (const piece of ledgerLines(balance, batches(...all), position as Position))
    pieces.push(piece);
  return pieces;
};

it('has a line per event with its data as stored, then the end', async () => {
  const text = (await piecesOf('7', [event(8)], [], [event(9)])).join('');
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
  expect(lines).toEqual([
    ...[8, 9].map((number) => ({
      type: 'balance.posted',
      data: event(number).data,
      position: String(number),
      recorded_at: '2026-01-31T09:30:00.000Z',
    })),
    { object: 'end', count: 2, chain: 'chain 9', position: '9' },
  ]);
});

it('ends with the position that was waited for, if no event came after it', async () => {
  expect((await piecesOf('10', [event(9)])).join('')).toContain('"position":"10"}\n');
  expect(JSON.parse((await piecesOf('10')).join(''))).toEqual({
    object: 'end',
    count: 0,
    chain: chainStart(balance),
    position: '10',
  });
});

it('is cut into pieces, so that it is never in memory as a whole', async () => {
  const events = Array.from({ length: 1_000 }, (_, n) => event(n + 1));
  const pieces = await piecesOf('1', events);
  expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(40_000);
  expect(pieces.join('').trimEnd().split('\n')).toHaveLength(1_001);
});
