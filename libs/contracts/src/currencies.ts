/**
 * The active codes of ISO 4217 (list one): currencies, funds and metals, without XTS (for tests)
 * and XXX (no currency).
 */
export const currencies: ReadonlySet<string> = new Set(
  `AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BHD BIF BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF CHW CLF CLP CNY COP COU CRC
   CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR IQD IRR ISK JMD JOD
   JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK
   NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP
   TRY TTD TWD TZS UAH UGX USD USN UYI UYU UYW UZS VED VES VND VUV WST XAD XAF XAG XAU XBA XBB XBC XBD XCD XCG XDR XOF XPD XPF XPT XSU XUA YER ZAR ZMW ZWG`.split(
    /\s+/,
  ),
);

/** The currencies that do not have two digits after the point, keyed by the number of digits. */
const otherDigits: Readonly<Record<number, string>> = {
  0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF',
  3: 'BHD IQD JOD KWD LYD OMR TND',
  4: 'CLF UYW',
};
/** ISO 4217 has no minor unit for these: an amount counts whole units. */
const withoutMinorUnit = 'XAG XAU XBA XBB XBC XBD XDR XPD XPT XSU XUA';

const digitsByCurrency: ReadonlyMap<string, number> = new Map([
  ...Object.entries(otherDigits).flatMap(([digits, codes]) =>
    codes.split(' ').map((code) => [code, Number(digits)] as const),
  ),
  ...withoutMinorUnit.split(' ').map((code) => [code, 0] as const),
]);

/**
 * Returns how many digits after the point an amount of this currency has: the minor unit of ISO
 * 4217 (list one, 2026-01-01).
 */
export const minorDigits = (currency: string): number => digitsByCurrency.get(currency) ?? 2;
