import fc from 'fast-check';
import { emailKey, emailSchema, withAsciiDomain } from './email.js';

const codesOf = (email: unknown): readonly unknown[] =>
  emailSchema
    .safeParse(email)
    .error?.issues.map((issue): unknown =>
      issue.code === 'custom' ? issue.params?.['code'] : issue.code,
    ) ?? [];

const umlauts = (octets: number) => `${'ü'.repeat(octets / 2)}`;

it.each([
  'jörg@bücher.example',
  'jörg@xn--bcher-kva.example',
  'é@example.com',
  'e\u0301@example.com',
  'ada@BÜCHER.example',
  'ada@bücher。example',
  'संपर्क@डाटामेल.भारत',
  '用户@例子.广告',
  'Pelé@example.com',
  '\u{1F984}@example.com',
  'می\u200cخواهم@example.com',
  'ශ්\u200dරී@ශ්\u200dරී.lk',
  `${'a'.repeat(64)}@example.com`,
  `${umlauts(64)}@example.com`,
  `a@${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(63)}.${'e'.repeat(60)}`,
  // an address in ASCII is what it was, whatever its domain would be in a URL
  'a@xn--a',
  'a@127.1',
])('%s is an address', (email) => {
  expect(codesOf(email)).toEqual([]);
});

it.each([
  ['a..b@example.com', 'invalid_format'],
  ['.a@example.com', 'invalid_format'],
  ['a.@example.com', 'invalid_format'],
  ['ü..b@example.com', 'invalid_format'],
  ['"jörg"@example.com', 'invalid_format'],
  ['jö rg@example.com', 'invalid_format'],
  ['jörg@a@example.com', 'invalid_format'],
  ['jörg', 'invalid_format'],
  ['@bücher.example', 'invalid_format'],
  ['jörg@xn--a', 'invalid_format'],
  ['jörg@-bücher.example', 'invalid_format'],
  ['jörg@bücher-.example', 'invalid_format'],
  ['jörg@bücher..example', 'invalid_format'],
  ['jörg@bücher.example.', 'invalid_format'],
  ['jörg@bü_cher.example', 'invalid_format'],
  ['jörg@bücher.example/x', 'invalid_format'],
  ['jörg@bücher.example:80', 'invalid_format'],
  ['jörg@b%41cher.example', 'invalid_format'],
  ['jörg@bücher\uff0eexample\uff20x', 'invalid_format'],
  ['ada@\uff11\uff12\uff17.1', 'invalid_format'],
  ['jörg@127.1', 'invalid_format'],
  // composed, it has a semicolon
  ['a\u037eb@example.com', 'invalid_format'],
  [`jörg@${'ü'.repeat(60)}.example`, 'invalid_format'],
  [`${'a'.repeat(65)}@example.com`, 'wrong_length'],
  [`${umlauts(66)}@example.com`, 'wrong_length'],
  [`ada@${Array.from({ length: 36 }, () => 'bü').join('.')}.example`, 'wrong_length'],
  ['ü'.repeat(100_000), 'wrong_length'],
  // no one sees the difference to another address
  ['a\u200bda@example.com', 'invisible'],
  ['ada@exam\u200bple.com', 'invisible'],
  ['ada@exam\u00adple.com', 'invisible'],
  ['\u2060@example.com', 'invisible'],
  ['a\u200dda@example.com', 'invisible'],
  ['سلام\u200c@example.com', 'invisible'],
  ['ada@bü\u200ccher.example', 'invisible'],
  ['a\u00a0da@example.com', 'invisible'],
  ['\u202eada@example.com', 'invisible'],
  ['ada@example.com\u202c', 'invisible'],
  ['\u2066ada\u2069@example.com', 'invisible'],
  ['ada\u200f@example.com', 'invisible'],
  ['\u3164@example.com', 'invisible'],
  ['❤\ufe0f@example.com', 'invisible'],
  ['a\u0080@example.com', 'invisible'],
  ['a\ud800@example.com', 'invisible'],
  ['a\ue000@example.com', 'invisible'],
  ['a\u0378@example.com', 'invisible'],
  [5, 'invalid_type'],
])('%j is none: %s', (email, code) => {
  expect(codesOf(email)).toEqual([code]);
});

it.each([
  ['Ada@Example.com', 'ada@example.com'],
  ['Ada@127.1', 'ada@127.1'],
  ['a@XN--A', 'a@xn--a'],
  ['a..B@example.com', 'a..b@example.com'],
  ['jörg@bücher.example', 'jörg@xn--bcher-kva.example'],
  ['JÖRG@XN--BCHER-KVA.example', 'jörg@xn--bcher-kva.example'],
  ['jo\u0308rg@BU\u0308CHER.example', 'jörg@xn--bcher-kva.example'],
  ['ada@bücher.example', 'ada@xn--bcher-kva.example'],
  ['ada@ｅｘａｍｐｌｅ.com', 'ada@example.com'],
  ['\u212aelvin@example.com', 'kelvin@example.com'],
  ['straße@straße.example', 'straße@xn--strae-oqa.example'],
  // what no affiliate has, but a filter may
  ['', ''],
  ['jörg', '@xn--jrg-sna'],
  ['jörg@', 'jörg@'],
  ['jörg@xn--a', 'jörg@xn--a'],
  ['jörg@Bücher.example/x', 'jörg@bücher.example/x'],
])('%j has the key %j', (email, key) => {
  expect(emailKey(email)).toBe(key);
});

it('the key of an address in ASCII is the address in lower case', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary-ascii' }), (email) => {
      expect(emailKey(email)).toBe(email.toLowerCase());
    }),
  );
});

const addresses = fc
  .tuple(
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 6 }),
    fc.constantFrom('example.com', 'bücher.example', 'XN--BCHER-KVA.example', 'Straße.DE'),
  )
  .map(([local, label, domain]) => `${local}@${label}.${domain}`)
  .filter((email) => codesOf(email).length === 0);

it('an address, its key, its compositions and the ASCII form of its domain have one key', () => {
  fc.assert(
    fc.property(addresses, (email) => {
      const same = [emailKey(email), email.normalize('NFC'), email.normalize('NFD')];
      const keys = [email, withAsciiDomain(email), ...same].map(emailKey);
      expect(keys).toEqual(keys.map(() => emailKey(email)));
    }),
  );
});

it('a key is its own key, whatever the letter', () => {
  const broken = [];
  for (let code = 0x80; code <= 0x1ffff; code++) {
    const letter = String.fromCodePoint(code);
    if (/[\p{C}\p{M}]/u.test(letter)) continue;
    const key = emailKey(`ü${letter}@example.com`);
    if (emailKey(key) !== key) broken.push(letter);
  }
  expect(broken).toEqual([]);
});

it.each([
  ['Ada@Example.com', 'Ada@Example.com'],
  ['a@xn--a', 'a@xn--a'],
  ['Ada@BÜCHER.example', 'Ada@xn--bcher-kva.example'],
  ['Jörg@bücher.example', 'Jörg@xn--bcher-kva.example'],
  ['jörg@xn--a', 'jörg@xn--a'],
])('%s with the ASCII form of its domain is %s', (email, ascii) => {
  expect(withAsciiDomain(email)).toBe(ascii);
});
