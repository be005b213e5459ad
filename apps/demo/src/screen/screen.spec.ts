import { stripVTControlCharacters } from 'node:util';
import pc from 'picocolors';
import { drawScreen } from './screen.js';
import {
  initialState,
  applyUpdate,
  type Line,
  type ScreenState,
  type ScreenUpdate,
} from './screen-state.js';

const plain = pc.createColors(false);
const line = (id: number, over: Partial<Line> = {}): Line => ({
  id,
  at: 600 + id,
  subject: `order-${1_000 + id}`,
  who: 'Ada Okafor',
  amount: '$49.50',
  response: '201 stored',
  tone: 'good',
  delivery: 'awaited',
  ...over,
});
const stateAfter = (...updates: ScreenUpdate[]): ScreenState =>
  updates.reduce(applyUpdate, initialState);
const shown = (state: ScreenState, columns = 80, rows = 24) =>
  drawScreen(state, { columns, rows, colors: plain });
const many: ScreenUpdate[] = Array.from({ length: 60 }, (_, id) => ({
  type: 'line',
  line: line(id),
}));

it.each([
  [80, 24],
  [120, 40],
  [200, 60],
  [61, 15],
  [20, 5],
  [10, 1],
])('fills exactly %i columns and %i rows', (columns, rows) => {
  const lines = shown(stateAfter(...many), columns, rows);
  expect(lines.length).toBeLessThanOrEqual(rows);
  expect(lines.every(({ length }) => length === columns)).toBe(true);
});

it('shows the latest lines, and fills the terminal with them', () => {
  const lines = shown(stateAfter(...many));
  expect(lines).toHaveLength(24);
  expect(lines.filter((one) => one.includes('201 stored'))).toHaveLength(13);
  expect(lines.join('\n')).toContain('order-1059');
  expect(lines.join('\n')).not.toContain('order-1040');
});

it('marks a delivery when it arrives, even before the response', () => {
  const before = stateAfter(
    { type: 'line', line: line(1, { response: '…' }) },
    { type: 'delivered', id: 1, valid: true, ms: 4 },
    { type: 'line', line: line(1) },
  );
  expect(shown(before).join('\n')).toMatch(/order-1001 .* 201 stored +✓ signature 4 ms/);
  const bad = stateAfter(
    { type: 'line', line: line(1) },
    { type: 'delivered', id: 1, valid: false, ms: 4 },
  );
  expect(shown(bad).join('\n')).toMatch(/order-1001 .*✗ signature/);
});

it('shows the time and the state of the service', () => {
  expect(
    shown(
      stateAfter({ type: 'clock', minute: 14 * 60 + 5 }, { type: 'service', state: 'killed' }),
    )[0],
  ).toMatch(/14:05 ✗ killed, restarting/);
  expect(
    shown(stateAfter({ type: 'clock', minute: 600 }, { type: 'clock', minute: 599 }))[0],
  ).toContain('10:00');
});

it('shows the statistics by currency, and by affiliate where there is room', () => {
  const sums = {
    currency: 'JPY',
    orders: 3,
    pending: 1,
    approved: 2,
    rejected: 0,
    refunded: 0,
    sales: 12_800n,
    earned: 3_000n,
  };
  const state = stateAfter({
    type: 'statistics',
    statistics: { currencies: [sums], affiliates: [{ name: 'Yuki Tanaka', ...sums }] },
  });
  expect(shown(state).join('\n')).toMatch(/JPY +3 +1 +2 +0 +0 +¥12,800 +¥3,000/);
  expect(shown(state).join('\n')).not.toContain('Yuki Tanaka');
  expect(shown(state, 120, 40).join('\n')).toMatch(/│ Yuki Tanaka +3 +¥12,800 +¥3,000/);
});

it('prints the same text with and without colours', () => {
  const [bare, painted] = [plain, pc.createColors(true)].map((colors) =>
    drawScreen(stateAfter(...many), { columns: 80, rows: 24, colors }).join('\n'),
  );
  expect(bare).not.toContain('\x1b');
  expect(painted).toContain('\x1b[');
  expect(stripVTControlCharacters(painted ?? '')).toBe(bare);
});
