import type pc from 'picocolors';
import { closes, opens, type Minute } from '../day/day.js';
import { statuses } from '../checking/ledger.js';
import { money } from './money.js';
import { currencies } from '../day/people.js';
import type { Line, ServiceState, ScreenState, Tone } from './screen-state.js';

export type Colors = ReturnType<typeof pc.createColors>;

/** The size of the screen, and its colors. */
export interface Viewport {
  readonly columns: number;
  readonly rows: number;
  readonly colors: Colors;
}

/** The whole screen as lines: at most `rows` lines, each at most `columns` wide. */
export const drawScreen = (state: ScreenState, { columns, rows, colors }: Viewport): string[] => {
  const wide = columns >= feedWidth + panelWidth + 3;
  const rule = [text('─'.repeat(columns), colors.dim)];
  const below = [rule, ...totals(state, colors), rule, ...footer(state, colors)];
  const room = Math.max(1, rows - 3 - below.length);
  const feed = [
    [text(columnsOf(headings), colors.dim)],
    ...state.lines.slice(-room).map((line) => feedLine(line, colors)),
  ];
  const beside = wide ? panel(state, colors) : [];
  const middle = Array.from({ length: room + 1 }, (_, row) => [
    ...fit(feed[row] ?? [], wide ? feedWidth : columns),
    ...(beside[row] === undefined ? [] : [text(' │ ', colors.dim), ...beside[row]]),
  ]);
  return [header(state, columns, colors), rule, ...middle, ...below]
    .slice(0, rows)
    .map((parts) => written(fit(parts, columns)));
};

export const timeOfDay = (minute: Minute): string =>
  `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;

/** A piece of a line. It is as wide as its plain text. */
interface Part {
  readonly plain: string;
  readonly paint: (plain: string) => string;
}
const text = (plain: string, paint: Part['paint'] = String): Part => ({ plain, paint });
const written = (parts: readonly Part[]): string =>
  parts.map(({ plain, paint }) => (plain === '' ? '' : paint(plain))).join('');
const widthOf = (parts: readonly Part[]): number =>
  parts.reduce((sum, { plain }) => sum + plain.length, 0);

/** Cuts or pads the parts to a width. */
const fit = (parts: readonly Part[], width: number): Part[] => {
  let left = width;
  const cut = parts.map((part) => {
    const plain = part.plain.slice(0, left);
    left -= plain.length;
    return { ...part, plain };
  });
  return [...cut, text(' '.repeat(left))];
};

const feedWidth = 80;
const panelWidth = 37;

const header = ({ minute, service }: ScreenState, columns: number, colors: Colors): Part[] => {
  const left = [text(' Refledger', colors.bold), text('  a day at Copper Kettle  ', colors.dim)];
  const state = states(colors)[service];
  const right = [text(` ${timeOfDay(Math.max(minute, opens))} `, colors.bold), state, text(' ')];
  const bar = Math.max(0, columns - widthOf(left) - widthOf(right) - 2);
  const done = Math.round(
    (bar * Math.min(Math.max(minute - opens, 0), closes - opens)) / (closes - opens),
  );
  return [
    ...left,
    text('━'.repeat(done), colors.cyan),
    text('─'.repeat(bar - done), colors.dim),
    text('  '),
    ...right,
  ];
};

const states = (colors: Colors): Record<ServiceState, Part> => ({
  starting: text('◌ service starting', colors.yellow),
  up: text('● service up      ', colors.green),
  killed: text('✗ killed, restarting', colors.red),
});

const headings = {
  at: 'clock',
  subject: 'order',
  who: 'affiliate',
  amount: 'amount',
  response: 'response',
  delivery: 'webhook',
};

const feedLine = (line: Line, colors: Colors): Part[] => {
  const tone: Record<Tone, Part['paint']> = {
    good: String,
    quiet: colors.dim,
    warn: colors.yellow,
    bad: colors.red,
  };
  if (line.note !== undefined)
    return [text(` ${timeOfDay(line.at)}  ${line.note}`, tone[line.tone])];
  return [
    text(columnsOf({ ...line, at: timeOfDay(line.at), delivery: '' }), tone[line.tone]),
    deliveryMark(line, colors),
  ];
};

const columnsOf = ({ at, subject, who, amount, response, delivery }: typeof headings): string =>
  ` ${at.padEnd(5)}  ${subject.padEnd(10)}  ${who.padEnd(11)} ${amount.padStart(9)}  ${response.padEnd(16)}  ${delivery}`;

const deliveryMark = ({ delivery, deliveryMs = 0 }: Line, colors: Colors): Part => {
  switch (delivery) {
    case 'none':
      return text('');
    case 'awaited':
      return text('· · ·', colors.dim);
    case 'valid':
      return text(`✓ signature ${duration(deliveryMs)}`, colors.green);
    case 'invalid':
      return text('✗ signature', colors.red);
  }
};

const duration = (ms: number): string => (ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(1)} s`);

const totals = ({ statistics }: ScreenState, colors: Colors): Part[][] => [
  [
    text(
      ` statistics  ${['orders', ...statuses].map((name) => name.padStart(9)).join('')}${'sales'.padStart(11)}${'earned'.padStart(11)}`,
      colors.dim,
    ),
  ],
  ...currencies.map((currency) => {
    const row = statistics.currencies.find((one) => one.currency === currency);
    const counts = (['orders', ...statuses] as const)
      .map((name) => String(row?.[name] ?? 0).padStart(9))
      .join('');
    return [
      text(` ${currency.padEnd(12)}${counts}`),
      text(money(row?.sales ?? 0n, currency).padStart(11)),
      text(money(row?.earned ?? 0n, currency).padStart(11), colors.bold),
    ];
  }),
];

const footer = ({ counts }: ScreenState, colors: Colors): Part[][] => {
  const { requests, duplicates, refused, retries, delivered, invalid, repeated, rejected } = counts;
  const signatures =
    invalid === 0
      ? text('all signatures valid', delivered === 0 ? colors.dim : colors.green)
      : text(`${invalid} with an invalid signature`, colors.red);
  return [
    [
      text(' shop      ', colors.dim),
      text(
        `${requests} requests · ${duplicates} duplicates · ${refused} rejected · ${retries} retried`,
      ),
    ],
    [
      text(' webhooks  ', colors.dim),
      text(`${delivered} delivered · `),
      signatures,
      text(` · ${rejected} rejected · ${repeated} repeated`),
    ],
  ];
};

const panel = ({ statistics }: ScreenState, colors: Colors): Part[][] => [
  [
    text(
      `${'affiliate'.padEnd(12)}${'orders'.padStart(6)}${'sales'.padStart(10)}${'earned'.padStart(9)}`,
      colors.dim,
    ),
  ],
  ...statistics.affiliates.map(({ name, orders, sales, earned, currency }) => [
    text(
      `${name.padEnd(12)}${String(orders).padStart(6)}${money(sales, currency).padStart(10)}${money(earned, currency).padStart(9)}`,
    ),
  ]),
];
