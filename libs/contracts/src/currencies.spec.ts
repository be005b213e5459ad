import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { currencies, hasMinorUnit, minorDigits, withdrawalOf } from './currencies.js';
import { activeCodes, withdrawnCodes, withdrawnWithoutMinorUnit } from './currency-table.js';

const codes = (text: string): string[] => text.trim().split(/\s+/);
const active = codes(Object.values(activeCodes).join(' '));
const withdrawn = Object.keys(withdrawnCodes);
const units = codes(withdrawnWithoutMinorUnit);
const withoutMinorUnit = codes('XAG XAU XBA XBB XBC XBD XDR XPD XPT XSU XUA');

it.each([
  ['USD', 2],
  ['JPY', 0],
  ['KWD', 3],
  ['CLF', 4],
  ['UYI', 0],
  ['UYW', 4],
  ['HUF', 2],
  ['BGN', 2],
  ['HRK', 2],
  ['DEM', 2],
  ['ITL', 0],
  ['TRL', 0],
  ['BYR', 0],
  ['MRO', 2],
  // gold has no minor unit
  ['XAU', 0],
])('an amount of %s has %i digits after the point', (currency, digits) => {
  expect(minorDigits(currency)).toBe(digits);
});

it('has the active codes of list one and the codes withdrawn since 2000', () => {
  expect(
    Object.fromEntries(Object.entries(activeCodes).map(([of, text]) => [of, codes(text).length])),
  ).toEqual({ 0: 17, 2: 139, 3: 7, 4: 2, none: 13 });
  expect([active.length, new Set(active).size, withdrawn.length]).toEqual([178, 178, 60]);
  for (const code of [...active, ...withdrawn, ...units]) expect(code).toMatch(/^[A-Z]{3}$/);
  expect(withdrawn.filter((code) => active.includes(code))).toEqual([]);
});

it('has every code in records, except those that no release has ever accepted', () => {
  const never = [...active, ...withdrawn, ...units].filter((code) => !currencies.has(code));
  expect(never.sort()).toEqual(['XFO', 'XFU', 'XTS', 'XXX']);
  expect([...currencies].filter((code) => !hasMinorUnit(code))).toEqual(withoutMinorUnit);
});

it.each([
  ['BGN', '2026-01-01', 'EUR'],
  ['ANG', '2025-03-31', 'XCG'],
  ['ZWL', '2024-09-30', 'ZWG'],
  ['SLL', '2023-12-31', 'SLE'],
  ['HRK', '2023-01-01', 'EUR'],
  ['CUC', '2021-06-30', 'CUP'],
  ['VEF', '2018-08-31', 'VES'],
  ['MRO', '2017-12-31', 'MRU'],
  ['STD', '2017-12-31', 'STN'],
  ['BYR', '2017-01-31', 'BYN'],
  ['LTL', '2014-12-31', 'EUR'],
  ['LVL', '2014-01-01', 'EUR'],
  ['ZMK', '2012-12-31', 'ZMW'],
  ['TRL', '2005-12-31', 'TRY'],
  ['DEM', '2002-03-31', 'EUR'],
  ['AON', '2000-02-29', 'AOA'],
])('%s was withdrawn on %s, followed by %s', (code, on, successor) => {
  expect(withdrawalOf(code)).toMatchObject({ on, successor });
});

it('knows no withdrawal of an active code, nor of the name of a method', () => {
  for (const code of [...active, 'constructor', 'toString'])
    expect(withdrawalOf(code)).toBeUndefined();
});

it('gives a day since 2000 and a currency with a minor unit for each withdrawal', () => {
  for (const code of withdrawn) {
    const { on, successor } = withdrawalOf(code) ?? { on: '', successor: '' };
    expect([code, new Date(on).toISOString().slice(0, 10)]).toEqual([code, on]);
    expect(on >= '2000-01-01').toBe(true);
    expect([code, hasMinorUnit(successor)]).toEqual([code, true]);
  }
});

describe('Intl, which has the data of CLDR,', () => {
  const intl = Intl.supportedValuesOf('currency');
  const { difference, explained } = differences();

  it('lists the same currencies, but for differences with an explanation', () => {
    const onlyHere = [...active, ...withdrawn, ...units].filter((code) => !intl.includes(code));
    const onlyIntl = intl.filter((code) => !currencies.has(code));
    expect([...onlyHere, ...onlyIntl].filter((code) => !difference(code))).toEqual([]);
  });

  it('gives them the same digits, but for differences with an explanation', () => {
    const digitsIn = (currency: string) =>
      new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions()
        .maximumFractionDigits;
    const others = [...currencies].filter((code) => digitsIn(code) !== minorDigits(code));
    expect(others.filter((code) => !explained(code))).toEqual([]);
  });
});

/** Why the table differs from `Intl`, whichever version of CLDR it has. */
function differences() {
  /** Instruments that no one pays with, which CLDR does not list as currencies in use. */
  const funds = codes('BOV CHE CHW CLF COU MXV USN UYI UYW');
  /** VED is the second code of the bolívar beside VES; XAD, new in 2025, is a unit of account. */
  const unlisted = codes('VED XAD');
  /** Units of bond markets and metals, and the codes for tests and for no currency. */
  const noCurrency = [...codes(activeCodes.none), ...units];
  /** Older versions list what CLDR has of the past, some of it withdrawn before 2000 … */
  const before2000 = readFileSync(
    join(import.meta.dirname, '../../../tools/currencies/list-three.xml'),
    'utf8',
  );
  /** … and some of it with codes that ISO 4217 never gave. */
  const notIso = codes('ARL ARM BAN BGM BGO BOL BRZ CLE CNH CNX KRH KRO MCF MDC MKN MVP');
  const lists = [funds, unlisted, noCurrency, notIso];

  /** CLDR has the digits in daily use; ISO 4217 has the minor unit, even if no coin is left. */
  const fewerInUse = codes(
    `AFN ALL AMD COP CRC GYD HUF IDR IQD IRR KPW LAK LBP MGA MMK MNT MRO MUR PKR RSD SLE SLL SOS STD
     SYP TMM TZS UZS YER ZMK ZWD`,
  );
  /** CLDR has 2 where it has no entry; ISO 4217 gave these no decimals (withdrawn.mjs). */
  const defaulted = codes('BEF BYB GRD PTE ROL TPE');

  return {
    difference: (code: string) =>
      lists.some((list) => list.includes(code)) ||
      withdrawalOf(code) !== undefined ||
      before2000.includes(`<Ccy>${code}</Ccy>`),
    explained: (code: string) =>
      fewerInUse.includes(code) || defaulted.includes(code) || !hasMinorUnit(code),
  };
}
