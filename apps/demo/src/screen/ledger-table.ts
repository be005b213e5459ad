import Table from 'cli-table3';
import type { Ledger } from '../checking/ledger.js';
import { money } from './money.js';
import type { Colors } from './screen.js';

/** The ledger for people: the figures of four sources side by side, then the checks. */
export const ledgerTable = ({ rows, checks, agrees }: Ledger, colors: Colors): string => {
  const mark = (right: boolean): string => (right ? colors.green('✓') : colors.red('✗'));
  const table = new Table({
    head: ['', 'sent', 'stored', 'counted', 'delivered', ''],
    chars: borderless,
    colAligns: ['left', 'right', 'right', 'right', 'right', 'left'],
    style: { head: [], border: [], compact: true },
  });
  for (const { label, currency, sent, stored, counted, delivered, agrees: right } of rows) {
    table.push([
      label,
      ...[sent, stored, counted, delivered].map((figure) =>
        currency === undefined ? String(figure) : money(figure, currency),
      ),
      mark(right),
    ]);
  }
  const width = Math.max(...checks.map(({ label }) => label.length));
  return [
    table.toString(),
    colors.dim('sent by the shop, stored in lists, counted in statistics, delivered by webhooks;'),
    colors.dim('paid: planned by the shop, in payouts, in balances, and delivered by webhooks'),
    '',
    ...checks.map(({ label, found, holds }) => `${mark(holds)} ${label.padEnd(width)}  ${found}`),
    '',
    agrees
      ? colors.bold(colors.green('Everything agrees.'))
      : colors.bold(colors.red('The ledger does NOT agree.')),
    '',
  ].join('\n');
};

/** Only the head has a rule below it, so that the table fits a small terminal. */
const borderless = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  right: '',
  middle: '',
  mid: '─',
  'mid-mid': '─',
  'left-mid': '',
  'right-mid': '',
};
