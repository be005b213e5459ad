// Written by `npm run generate` from the lists of ISO 4217 in tools/currencies: do not edit it.

/** The withdrawal of a code with a minor unit from ISO 4217. */
export interface Withdrawn {
  /** The digits of its minor unit. */
  readonly digits: number;
  /** The day of the withdrawal (UTC). */
  readonly on: string;
  readonly successor: string;
}

/** The active codes (list one, published 2026-01-01) by the digits of their minor unit. */
export const activeCodes = {
  0: `
    BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF
  `,
  2: `
    AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD
    CDF CHE CHF CHW CNY COP COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS
    GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD
    LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD PAB
    PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP
    SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED VES WST XAD XCD XCG YER ZAR ZMW
    ZWG
  `,
  3: `
    BHD IQD JOD KWD LYD OMR TND
  `,
  4: `
    CLF UYW
  `,
  none: `
    XAG XAU XBA XBB XBC XBD XDR XPD XPT XSU XTS XUA XXX
  `,
} as const;

/** Withdrawn since 2000, without a minor unit: no release has ever accepted them. */
export const withdrawnWithoutMinorUnit = 'XFO XFU';

/** The codes withdrawn since 2000 (list three). */
export const withdrawnCodes: Readonly<Record<string, Withdrawn>> = {
  ADP: { digits: 0, on: '2003-07-31', successor: 'EUR' }, // digits: OpenJDK 17
  AFA: { digits: 2, on: '2003-01-31', successor: 'AFN' }, // digits: OpenJDK 17
  ANG: { digits: 2, on: '2025-03-31', successor: 'XCG' }, // digits: list one of 2012
  AON: { digits: 2, on: '2000-02-29', successor: 'AOA' }, // digits: CLDR 48
  AOR: { digits: 2, on: '2000-02-29', successor: 'AOA' }, // digits: CLDR 48
  ATS: { digits: 2, on: '2002-03-31', successor: 'EUR' }, // digits: OpenJDK 17
  AYM: { digits: 2, on: '2005-10-31', successor: 'AZN' }, // digits: OpenJDK 17
  AZM: { digits: 2, on: '2005-12-31', successor: 'AZN' }, // digits: OpenJDK 17
  BEF: { digits: 0, on: '2002-03-31', successor: 'EUR' }, // digits: OpenJDK 17
  BGL: { digits: 2, on: '2003-11-30', successor: 'BGN' }, // digits: OpenJDK 17
  BGN: { digits: 2, on: '2026-01-01', successor: 'EUR' }, // digits: list one of 2012
  BYB: { digits: 0, on: '2001-01-31', successor: 'BYR' }, // digits: OpenJDK 17
  BYR: { digits: 0, on: '2017-01-31', successor: 'BYN' }, // digits: list one of 2012
  CHC: { digits: 2, on: '2004-11-30', successor: 'CHW' }, // digits: its successor
  CSD: { digits: 2, on: '2006-10-31', successor: 'RSD' }, // digits: OpenJDK 17
  CUC: { digits: 2, on: '2021-06-30', successor: 'CUP' }, // digits: list one of 2012
  CYP: { digits: 2, on: '2008-01-01', successor: 'EUR' }, // digits: OpenJDK 17
  DEM: { digits: 2, on: '2002-03-31', successor: 'EUR' }, // digits: OpenJDK 17
  ECS: { digits: 2, on: '2000-09-30', successor: 'USD' }, // digits: CLDR 48
  ECV: { digits: 2, on: '2000-09-30', successor: 'USD' }, // digits: CLDR 48
  EEK: { digits: 2, on: '2011-01-01', successor: 'EUR' }, // digits: OpenJDK 17
  ESP: { digits: 0, on: '2002-03-31', successor: 'EUR' }, // digits: OpenJDK 17
  FIM: { digits: 2, on: '2002-03-31', successor: 'EUR' }, // digits: OpenJDK 17
  FRF: { digits: 2, on: '2002-03-31', successor: 'EUR' }, // digits: OpenJDK 17
  GHC: { digits: 2, on: '2008-01-31', successor: 'GHS' }, // digits: OpenJDK 17
  GHP: { digits: 2, on: '2007-06-30', successor: 'GHS' }, // digits: its successor
  GRD: { digits: 0, on: '2002-03-31', successor: 'EUR' }, // digits: OpenJDK 17
  HRK: { digits: 2, on: '2023-01-01', successor: 'EUR' }, // digits: list one of 2012
  IEP: { digits: 2, on: '2002-03-31', successor: 'EUR' }, // digits: OpenJDK 17
  ITL: { digits: 0, on: '2002-03-31', successor: 'EUR' }, // digits: OpenJDK 17
  LTL: { digits: 2, on: '2014-12-31', successor: 'EUR' }, // digits: list one of 2012
  LUF: { digits: 0, on: '2002-03-31', successor: 'EUR' }, // digits: OpenJDK 17
  LVL: { digits: 2, on: '2014-01-01', successor: 'EUR' }, // digits: list one of 2012
  MGF: { digits: 0, on: '2004-12-31', successor: 'MGA' }, // digits: OpenJDK 17
  MRO: { digits: 2, on: '2017-12-31', successor: 'MRU' }, // digits: list one of 2012
  MTL: { digits: 2, on: '2008-01-01', successor: 'EUR' }, // digits: OpenJDK 17
  MZM: { digits: 2, on: '2006-06-30', successor: 'MZN' }, // digits: OpenJDK 17
  NLG: { digits: 2, on: '2002-03-31', successor: 'EUR' }, // digits: OpenJDK 17
  PTE: { digits: 0, on: '2002-03-31', successor: 'EUR' }, // digits: OpenJDK 17
  ROL: { digits: 0, on: '2005-06-30', successor: 'RON' }, // digits: OpenJDK 17
  RUR: { digits: 2, on: '2004-01-31', successor: 'RUB' }, // digits: OpenJDK 17
  SDD: { digits: 2, on: '2007-07-31', successor: 'SDG' }, // digits: OpenJDK 17
  SIT: { digits: 2, on: '2007-01-01', successor: 'EUR' }, // digits: OpenJDK 17
  SKK: { digits: 2, on: '2009-01-01', successor: 'EUR' }, // digits: OpenJDK 17
  SLL: { digits: 2, on: '2023-12-31', successor: 'SLE' }, // digits: list one of 2012
  SRG: { digits: 2, on: '2003-12-31', successor: 'SRD' }, // digits: OpenJDK 17
  STD: { digits: 2, on: '2017-12-31', successor: 'STN' }, // digits: list one of 2012
  TJR: { digits: 2, on: '2001-04-30', successor: 'TJS' }, // digits: CLDR 48
  TMM: { digits: 2, on: '2009-01-31', successor: 'TMT' }, // digits: OpenJDK 17
  TPE: { digits: 0, on: '2002-11-30', successor: 'USD' }, // digits: OpenJDK 17
  TRL: { digits: 0, on: '2005-12-31', successor: 'TRY' }, // digits: OpenJDK 17
  USS: { digits: 2, on: '2014-03-31', successor: 'USD' }, // digits: list one of 2012
  VEB: { digits: 2, on: '2008-01-31', successor: 'VEF' }, // digits: OpenJDK 17
  VEF: { digits: 2, on: '2018-08-31', successor: 'VES' }, // digits: list one of 2012
  YUM: { digits: 2, on: '2003-07-31', successor: 'CSD' }, // digits: OpenJDK 17
  ZMK: { digits: 2, on: '2012-12-31', successor: 'ZMW' }, // digits: list one of 2012
  ZWD: { digits: 2, on: '2008-08-31', successor: 'ZWR' }, // digits: OpenJDK 17
  ZWL: { digits: 2, on: '2024-09-30', successor: 'ZWG' }, // digits: list one of 2012
  ZWN: { digits: 2, on: '2006-09-30', successor: 'ZWD' }, // digits: OpenJDK 17
  ZWR: { digits: 2, on: '2009-06-30', successor: 'ZWL' }, // digits: OpenJDK 17
};
