import { randomBytes } from 'node:crypto';
import { newId } from '@refledger/contracts';
import fc from 'fast-check';
import { newWrappedKey, openKey } from './personal-key.js';
import { SealedUnreadable } from './sealed-unreadable.js';
import { openSecretBox } from './secret-box.js';

const uses = ['values', 'body', 'excerpt'] as const;
const box = openSecretBox([randomBytes(32)]);
const owner = newId('affiliate');
const wrapped = newWrappedKey(box, owner);
const key = openKey(box, owner, wrapped);
const text = fc.string({ unit: 'grapheme' });

/** Flips one bit of the data after the last dot. */
const flipped = (sealed: string, bit: number): string => {
  const start = sealed.lastIndexOf('.') + 1;
  const data = Buffer.from(sealed.slice(start), 'base64url');
  const at = bit % (data.length * 8);
  data.writeUInt8(data.readUInt8(at >> 3) ^ (1 << (at & 7)), at >> 3);
  return sealed.slice(0, start) + data.toString('base64url');
};

describe('a personal key', () => {
  it('law: opens what it sealed, and seals the same text differently each time', () => {
    fc.assert(
      fc.property(fc.constantFrom(...uses), text, (use, plain) => {
        const sealed = key.seal(use, plain);

        expect(openKey(box, owner, wrapped).open(use, sealed)).toBe(plain);
        expect(key.seal(use, plain)).not.toBe(sealed);
      }),
    );
  });

  it('law: a sealed text is a third longer than the text, and under 120 bytes more', () => {
    fc.assert(
      fc.property(text, (plain) => {
        const sealed = key.seal('values', plain);

        expect(sealed).toMatch(/^v1\.[A-Za-z0-9_-]+$/);
        expect(sealed.length).toBeLessThan((Buffer.byteLength(plain) * 4) / 3 + 120);
      }),
    );
  });

  it('law: rejects a text changed in any bit', () => {
    fc.assert(
      fc.property(text, fc.nat(), (plain, bit) => {
        expect(() => key.open('body', flipped(key.seal('body', plain), bit))).toThrow(
          SealedUnreadable,
        );
      }),
    );
  });

  it.each(uses)('rejects a text sealed as %s for the other uses', (use) => {
    for (const other of uses.filter((it) => it !== use))
      expect(() => key.open(other, key.seal(use, 'Ada'))).toThrow(SealedUnreadable);
  });

  it('rejects a text of another key of the same affiliate', () => {
    const other = openKey(box, owner, newWrappedKey(box, owner));

    expect(() => other.open('values', key.seal('values', 'Ada'))).toThrow(SealedUnreadable);
  });

  it('binds a text to its affiliate, even under the same key', () => {
    const bytes = randomBytes(32);
    const [ours, theirs] = [owner, newId('affiliate')].map((id) =>
      openKey({ unwrap: () => bytes }, id, ''),
    );

    expect(() => theirs?.open('values', ours?.seal('values', 'Ada') ?? '')).toThrow(
      SealedUnreadable,
    );
  });

  it('rejects a text of another version', () => {
    const sealed = key.seal('values', 'Ada');

    expect(() => key.open('values', sealed.replace('v1', 'v2'))).toThrow('the form v1.<data>');
  });

  it.each(['', 'v1.', 'v1.AAAA', 'v2.AAAA', 'Ada Lovelace', '{"name":"Ada Lovelace"}'])(
    'rejects %j without revealing any of it',
    (value) => {
      const opening = (): string => key.open('values', value);

      expect(opening).toThrow(SealedUnreadable);
      expect(opening).not.toThrow(/Ada|AAAA/);
    },
  );
});

describe('a wrapped key', () => {
  it('has about 100 bytes, and differs for each affiliate', () => {
    expect(wrapped).toMatch(/^v1\.[0-9a-f]{16}\.[A-Za-z0-9_-]{80}$/);
    expect(newWrappedKey(box, owner)).not.toBe(wrapped);
  });

  it('opens only for its owner', () => {
    const other = newId('affiliate');

    expect(() => openKey(box, other, wrapped)).toThrow(
      `a wrapped key cannot be opened: it was truncated or altered after it was sealed, or it is not of ${other}`,
    );
  });

  it('law: is rejected when changed in any bit', () => {
    fc.assert(
      fc.property(fc.nat(), (bit) => {
        expect(() => openKey(box, owner, flipped(wrapped, bit))).toThrow(SealedUnreadable);
      }),
    );
  });

  it('opens under every key of the box, and names a missing one', () => {
    const [older, newer] = [randomBytes(32), randomBytes(32)];
    const before = newWrappedKey(openSecretBox([older]), owner);
    const sealed = openKey(openSecretBox([older]), owner, before).seal('values', 'Ada');

    expect(openKey(openSecretBox([newer, older]), owner, before).open('values', sealed)).toBe(
      'Ada',
    );
    expect(() => openKey(openSecretBox([newer]), owner, before)).toThrow(/SECRETS_KEY lacks/);
  });

  it('is neither a secret nor opens as one', () => {
    expect(() => box.open(wrapped)).toThrow(SealedUnreadable);
    expect(() => openKey(box, owner, box.seal('x'.repeat(32)))).toThrow(SealedUnreadable);
  });
});
