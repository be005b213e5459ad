/**
 * What list three of ISO 4217 does not say about the codes withdrawn since 2000, written by hand:
 *
 * - `digits` of the minor unit, by `source`.
 * - `successor`: the code that took its place.
 * - `on`: the exact day of the withdrawal, where a legal act gives it (`act`). The list gives only
 *   the month.
 */
const iso2012 = 'list one of 2012';
const openJdk = 'OpenJDK 17';
const cldr = 'CLDR 48';
const sameUnit = 'its successor';

/**
 * Where the digits come from:
 *
 * - `list one of 2012`: archived in github.com/datasets/currency-codes (data/codes-all.csv, commit
 *   051762c4b9c0dd35bbaa4f0ea5ad6ed34b3ec076).
 * - `OpenJDK 17`: `java.util.Currency.getDefaultFractionDigits`, which keeps the minor units that
 *   ISO 4217 gave while the code was active. CLDR says 2 for BEF, BYB, GRD, PTE, ROL and TPE.
 * - `CLDR 48`: supplementalData.xml, `fractions`; codes that OpenJDK lacks.
 * - `its successor`: a code of the same currency under the same name, which neither of them has.
 */
export const withdrawnByHand = {
  ADP: { digits: 0, source: openJdk, successor: 'EUR' },
  AFA: { digits: 2, source: openJdk, successor: 'AFN' },
  ANG: { digits: 2, source: iso2012, successor: 'XCG' },
  AON: { digits: 2, source: cldr, successor: 'AOA' },
  AOR: { digits: 2, source: cldr, successor: 'AOA' },
  ATS: { digits: 2, source: openJdk, successor: 'EUR' },
  AYM: { digits: 2, source: openJdk, successor: 'AZN' },
  AZM: { digits: 2, source: openJdk, successor: 'AZN' },
  BEF: { digits: 0, source: openJdk, successor: 'EUR' },
  BGL: { digits: 2, source: openJdk, successor: 'BGN' },
  BGN: {
    digits: 2,
    source: iso2012,
    successor: 'EUR',
    on: '2026-01-01',
    act: 'Council Decision (EU) 2025/1407',
  },
  BYB: { digits: 0, source: openJdk, successor: 'BYR' },
  BYR: { digits: 0, source: iso2012, successor: 'BYN' },
  CHC: { digits: 2, source: sameUnit, successor: 'CHW' },
  CSD: { digits: 2, source: openJdk, successor: 'RSD' },
  CUC: { digits: 2, source: iso2012, successor: 'CUP' },
  CYP: {
    digits: 2,
    source: openJdk,
    successor: 'EUR',
    on: '2008-01-01',
    act: 'Council Decision 2007/503/EC',
  },
  DEM: { digits: 2, source: openJdk, successor: 'EUR' },
  ECS: { digits: 2, source: cldr, successor: 'USD' },
  ECV: { digits: 2, source: cldr, successor: 'USD' },
  EEK: {
    digits: 2,
    source: openJdk,
    successor: 'EUR',
    on: '2011-01-01',
    act: 'Council Decision 2010/416/EU',
  },
  ESP: { digits: 0, source: openJdk, successor: 'EUR' },
  FIM: { digits: 2, source: openJdk, successor: 'EUR' },
  FRF: { digits: 2, source: openJdk, successor: 'EUR' },
  GHC: { digits: 2, source: openJdk, successor: 'GHS' },
  GHP: { digits: 2, source: sameUnit, successor: 'GHS' },
  GRD: { digits: 0, source: openJdk, successor: 'EUR' },
  HRK: {
    digits: 2,
    source: iso2012,
    successor: 'EUR',
    on: '2023-01-01',
    act: 'Council Decision (EU) 2022/1211',
  },
  IEP: { digits: 2, source: openJdk, successor: 'EUR' },
  ITL: { digits: 0, source: openJdk, successor: 'EUR' },
  LTL: { digits: 2, source: iso2012, successor: 'EUR' },
  LUF: { digits: 0, source: openJdk, successor: 'EUR' },
  LVL: {
    digits: 2,
    source: iso2012,
    successor: 'EUR',
    on: '2014-01-01',
    act: 'Council Decision 2013/387/EU',
  },
  MGF: { digits: 0, source: openJdk, successor: 'MGA' },
  MRO: { digits: 2, source: iso2012, successor: 'MRU' },
  MTL: {
    digits: 2,
    source: openJdk,
    successor: 'EUR',
    on: '2008-01-01',
    act: 'Council Decision 2007/504/EC',
  },
  MZM: { digits: 2, source: openJdk, successor: 'MZN' },
  NLG: { digits: 2, source: openJdk, successor: 'EUR' },
  PTE: { digits: 0, source: openJdk, successor: 'EUR' },
  ROL: { digits: 0, source: openJdk, successor: 'RON' },
  RUR: { digits: 2, source: openJdk, successor: 'RUB' },
  SDD: { digits: 2, source: openJdk, successor: 'SDG' },
  SIT: {
    digits: 2,
    source: openJdk,
    successor: 'EUR',
    on: '2007-01-01',
    act: 'Council Decision 2006/495/EC',
  },
  SKK: {
    digits: 2,
    source: openJdk,
    successor: 'EUR',
    on: '2009-01-01',
    act: 'Council Decision 2008/608/EC',
  },
  SLL: { digits: 2, source: iso2012, successor: 'SLE' },
  SRG: { digits: 2, source: openJdk, successor: 'SRD' },
  STD: { digits: 2, source: iso2012, successor: 'STN' },
  TJR: { digits: 2, source: cldr, successor: 'TJS' },
  TMM: { digits: 2, source: openJdk, successor: 'TMT' },
  TPE: { digits: 0, source: openJdk, successor: 'USD' },
  TRL: { digits: 0, source: openJdk, successor: 'TRY' },
  USS: { digits: 2, source: iso2012, successor: 'USD' },
  VEB: { digits: 2, source: openJdk, successor: 'VEF' },
  VEF: { digits: 2, source: iso2012, successor: 'VES' },
  YUM: { digits: 2, source: openJdk, successor: 'CSD' },
  ZMK: { digits: 2, source: iso2012, successor: 'ZMW' },
  ZWD: { digits: 2, source: openJdk, successor: 'ZWR' },
  ZWL: { digits: 2, source: iso2012, successor: 'ZWG' },
  ZWN: { digits: 2, source: openJdk, successor: 'ZWD' },
  ZWR: { digits: 2, source: openJdk, successor: 'ZWL' },
};

/** Units of account without a minor unit (OpenJDK 17; XFU also in list one of 2012). */
export const withoutMinorUnit = ['XFO', 'XFU'];
