import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { SealedUnreadable } from './sealed-unreadable.js';
import { openSecretBox } from './secret-box.js';

const secret = 'whsec_of an endpoint';

describe('openSecretBox', () => {
  it('law: opens what it sealed, and seals the same secret differently each time', () => {
    const box = openSecretBox([randomBytes(32)]);

    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const sealed = box.seal(text);

        expect(box.open(sealed)).toBe(text);
        expect(box.seal(text)).not.toBe(sealed);
      }),
    );
  });

  it('seals under the first key and opens under all, so that keys can be rotated', () => {
    const [older, newer] = [randomBytes(32), randomBytes(32)];
    const before = openSecretBox([older]);
    const rotated = openSecretBox([newer, older]);
    const after = openSecretBox([newer]);

    expect(rotated.open(before.seal(secret))).toBe(secret);
    expect(after.open(rotated.seal(secret))).toBe(secret);
    expect(() => after.open(before.seal(secret))).toThrow(
      /SECRETS_KEY lacks its key "[0-9a-f]{16}"/,
    );
  });

  it('tells whether it has the key of a sealed value, without opening it', () => {
    const [here, elsewhere] = [openSecretBox([randomBytes(32)]), openSecretBox([randomBytes(32)])];
    const sealed = here.seal(secret);

    expect([
      here.hasKeyOf(sealed),
      here.hasKeyOf(`${sealed}changed`),
      here.hasKeyOf(secret),
    ]).toEqual([true, true, false]);
    expect(elsewhere.hasKeyOf(sealed)).toBe(false);
  });

  it('wraps a key again under the first key, unless it is wrapped under that', () => {
    const [older, newer, bare] = [randomBytes(32), randomBytes(32), randomBytes(32)];
    const wrapped = openSecretBox([older]).wrap(bare, 'aff_a');
    const again = openSecretBox([newer, older]).rewrap(wrapped, 'aff_a') ?? '';

    expect(openSecretBox([newer]).unwrap(again, 'aff_a')).toEqual(bare);
    expect(openSecretBox([newer]).rewrap(again, 'aff_a')).toBeUndefined();
    expect(() => openSecretBox([newer]).rewrap(wrapped, 'aff_a')).toThrow('SECRETS_KEY lacks');
    expect(() => openSecretBox([newer]).rewrap(again, 'aff_b')).toThrow('not of aff_b');
  });

  it('names its key without revealing it', () => {
    const key = randomBytes(32);
    const sealed = openSecretBox([key]).seal(secret);

    expect(sealed).toMatch(/^v1\.[0-9a-f]{16}\.[A-Za-z0-9_-]+$/);
    expect(key.toString('hex')).not.toContain(sealed.split('.')[1]);
  });

  it('law: rejects a value changed in any bit', () => {
    const box = openSecretBox([randomBytes(32)]);
    const [version, id, encoded] = box.seal(secret).split('.') as [string, string, string];

    fc.assert(
      fc.property(fc.nat({ max: Buffer.from(encoded, 'base64url').length * 8 - 1 }), (bit) => {
        const data = Buffer.from(encoded, 'base64url');
        data.writeUInt8(data.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);

        expect(() => box.open(`${version}.${id}.${data.toString('base64url')}`)).toThrow(
          'altered after it was sealed',
        );
      }),
    );
  });

  it('binds a value to the key id that it names', () => {
    const key = randomBytes(32);
    const [version, id, encoded] = openSecretBox([key]).seal(secret).split('.');
    const other = openSecretBox([randomBytes(32)])
      .seal(secret)
      .split('.')[1];

    expect(() => openSecretBox([key]).open(`${version}.${other}.${encoded}`)).toThrow(
      SealedUnreadable,
    );
    expect(openSecretBox([key]).open(`${version}.${id}.${encoded}`)).toBe(secret);
  });

  it.each([
    '',
    'v1',
    'v1.0123456789abcdef',
    'v1.0123456789abcdef.',
    'v2.0123456789abcdef.AAAA',
    'v1.a.b.c',
    secret,
  ])('rejects %j without revealing any of it', (value) => {
    const box = openSecretBox([randomBytes(32)]);
    const opening = (): string => box.open(value);

    expect(opening).toThrow('it does not have the form v1.<key id>.<data>');
  });

  it('rejects a truncated value', () => {
    const box = openSecretBox([randomBytes(32)]);
    const sealed = box.seal('');

    expect(() => box.open(sealed.slice(0, -2))).toThrow('truncated');
  });

  it('needs a key, and keys of 32 bytes', () => {
    expect(() => openSecretBox([])).toThrow('at least one key');
    expect(() => openSecretBox([randomBytes(32), randomBytes(16)])).toThrow('32 bytes');
  });
});
