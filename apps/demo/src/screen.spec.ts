import pc from 'picocolors';
import { drawScreen } from './screen.js';
import { beginning, goOn, type Line, type Story, type Telling } from './story.js';

const plain = pc.createColors(false);
const line = (id: number, over: Partial<Line> = {}): Line => ({
  id,
  at: 600 + id,
  subject: `order-${1_000 + id}`,
  who: 'Ada Okafor',
  amount: '$49.50',
  answer: '201 stored',
  tone: 'good',
  delivery: 'awaited',
  ...over,
});
const told = (...tellings: Telling[]): Story => tellings.reduce(goOn, beginning);
const shown = (story: Story, columns = 80, rows = 24) =>
  drawScreen(story, { columns, rows, colors: plain });
const many: Telling[] = Array.from({ length: 60 }, (_, id) => ({ tell: 'line', line: line(id) }));

it.each([
  [80, 24],
  [120, 40],
  [200, 60],
  [61, 15],
  [20, 5],
  [10, 1],
])('fills %i columns and %i rows and never more', (columns, rows) => {
  const lines = shown(told(...many), columns, rows);
  expect(lines.length).toBeLessThanOrEqual(rows);
  expect(lines.every(({ length }) => length === columns)).toBe(true);
});

it('shows the latest lines, and fills the terminal with them', () => {
  const lines = shown(told(...many));
  expect(lines).toHaveLength(24);
  expect(lines.filter((one) => one.includes('201 stored'))).toHaveLength(13);
  expect(lines.join('\n')).toContain('order-1059');
  expect(lines.join('\n')).not.toContain('order-1040');
});

it('marks a delivery as it arrives, even when the answer comes after it', () => {
  const before = told(
    { tell: 'line', line: line(1, { answer: '…' }) },
    { tell: 'delivered', id: 1, valid: true, ms: 4 },
    { tell: 'line', line: line(1) },
  );
  expect(shown(before).join('\n')).toMatch(/order-1001 .* 201 stored +✓ signature 4 ms/);
  const bad = told(
    { tell: 'line', line: line(1) },
    { tell: 'delivered', id: 1, valid: false, ms: 4 },
  );
  expect(shown(bad).join('\n')).toMatch(/order-1001 .*✗ signature/);
});

it('says the time, and how the service is', () => {
  expect(
    shown(told({ tell: 'clock', minute: 14 * 60 + 5 }, { tell: 'service', state: 'killed' }))[0],
  ).toMatch(/14:05 ✗ killed, restarts/);
  expect(shown(told({ tell: 'clock', minute: 600 }, { tell: 'clock', minute: 599 }))[0]).toContain(
    '10:00',
  );
});

it('shows the statistics by currency, and by affiliate where there is room', () => {
  const story = told({
    tell: 'statistics',
    statistics: {
      currencies: [
        {
          currency: 'JPY',
          orders: 3,
          pending: 1,
          approved: 2,
          rejected: 0,
          refunded: 0,
          amount: 12_800,
        },
      ],
      affiliates: [
        { name: 'Yuki Tanaka', orders: 3, approved: 2, amount: 12_800, currency: 'JPY' },
      ],
    },
  });
  expect(shown(story).join('\n')).toMatch(/JPY +3 +1 +2 +0 +0 +¥12,800/);
  expect(shown(story).join('\n')).not.toContain('Yuki Tanaka');
  expect(shown(story, 120, 40).join('\n')).toMatch(/│ Yuki Tanaka +3 +2 +¥12,800/);
});

it('uses no colour where none is wanted, and the same text where it is', () => {
  const [bare, painted] = [plain, pc.createColors(true)].map((colors) =>
    drawScreen(told(...many), { columns: 80, rows: 24, colors }).join('\n'),
  );
  expect(bare).not.toContain('\x1b');
  expect(painted).toContain('\x1b[');
  // eslint-disable-next-line no-control-regex
  expect(painted?.replace(/\x1b\[\d+m/g, '')).toBe(bare);
});
