import { createHash } from 'node:crypto';
import fc from 'fast-check';
import {
  datedId,
  derivedId,
  eventIdOf,
  eventIdOfPublic,
  hashOf,
  idPrefixes,
  idSchema,
  isId,
  newCommandId,
  newId,
  programIdSchema,
  publicEventId,
} from './ids.js';
import type { IdKind } from './ids.js';

const kinds = Object.keys(idPrefixes) as IdKind[];
const parts = fc.array(fc.string({ unit: 'grapheme', maxLength: 5 }), { maxLength: 4 });

describe.each(kinds)('an id of kind %s', (kind) => {
  it('is its prefix and 26 characters, random or derived', () => {
    const ids = [newId(kind), newId(kind), derivedId(kind, 'a')];
    expect(ids.every((id) => isId(kind, id))).toBe(true);
    for (const id of ids)
      expect(idSchema(kind).parse(id)).toMatch(
        new RegExp(`^${idPrefixes[kind]}[0-9a-hjkmnp-tv-z]{26}$`),
      );
    expect(new Set(ids).size).toBe(3);
  });

  it('that the service generates is rejected with another prefix, length or letter', () => {
    const id = newId(kind);
    for (const wrong of [
      id.slice(0, -1),
      `${id}0`,
      id.toUpperCase(),
      id.replace(idPrefixes[kind], 'x_'),
      `${id.slice(0, -1)}u`,
      '',
    ])
      expect([
        isId(kind, wrong) && kind !== 'program',
        idSchema(kind).safeParse(wrong).success,
      ]).toEqual([false, false]);
  });
});

it('leads from the public id of an event back to the event', () => {
  fc.assert(
    fc.property(fc.uuid(), (id) => {
      expect(eventIdOfPublic(publicEventId(id))).toBe(id);
    }),
  );
  for (const wrong of ['', 'evt_', 'evt_0', newId('account'), `${newId('event')}0`])
    expect(eventIdOfPublic(wrong)).toBeUndefined();
});

describe('a derived id', () => {
  it('is the same for the same parts, and different for others', () => {
    fc.assert(
      fc.property(parts, parts, (a, b) => {
        expect(derivedId('conversion', ...a) === derivedId('conversion', ...b)).toBe(
          JSON.stringify(a) === JSON.stringify(b),
        );
        expect(hashOf(...a).equals(hashOf(...b))).toBe(JSON.stringify(a) === JSON.stringify(b));
      }),
    );
  });

  it('hashes each part after its length in bytes', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary', maxLength: 5 })), (all) => {
        const hash = createHash('sha256');
        for (const part of all) hash.update(`${Buffer.byteLength(part)}:`).update(part);
        expect(hashOf(...all).equals(hash.digest())).toBe(true);
      }),
    );
  });

  it('differs with the kind', () => {
    expect(derivedId('conversion', 'a').slice(-26)).not.toBe(
      derivedId('affiliate', 'a').slice(-26),
    );
  });

  it('is stable across releases', () => {
    expect(derivedId('conversion', 'acct_1', 'external_transaction_id', 'tx-1')).toBe(
      'conv_6wq3qykg576gcbrdk4bcjsw57g',
    );
  });
});

describe('a dated id', () => {
  const instant = fc.integer({ min: 0, max: 2 ** 48 - 1 });

  it('sorts by its instant, and distinguishes its parts', () => {
    fc.assert(
      fc.property(instant, instant, parts, parts, (at, other, a, b) => {
        const [one, two] = [datedId('delivery', at, ...a), datedId('delivery', other, ...b)];
        if (at !== other) expect(one < two).toBe(at < other);
        else expect(one === two).toBe(JSON.stringify(a) === JSON.stringify(b));
      }),
    );
  });

  it('is stable across releases', () => {
    expect(datedId('delivery', Date.UTC(2026, 0, 1), 'evt_1', 'whk_1')).toBe(
      'dlv_06dqdpn802ncmzxxdfg5bw60dm',
    );
  });
});

describe('the id of an event', () => {
  it('matches RFC 9562, appendix A.4', () => {
    expect(
      eventIdOf('0f8e1c1a-6c1f-4b8e-9d57-2a3f1b6c4d5e', 'refledger.conversion-conv_1', 0, 1),
    ).toBe('0f550441-0956-5de8-b364-9ad75ed9bab6');
  });

  it('is a SHA-1 of namespace and name with version and variant bits, for any name', () => {
    fc.assert(
      fc.property(
        fc.uuid(),
        fc.string({ unit: 'binary' }),
        fc.nat(),
        fc.nat(),
        (command, stream, attempt, index) => {
          const bytes = createHash('sha1')
            .update(Buffer.from(command.replaceAll('-', ''), 'hex'))
            .update(`${stream}/${attempt}/${index}`)
            .digest()
            .subarray(0, 16);
          const digits =
            ((bytes.readBigUInt64BE(0) & 0xffff_ffff_ffff_0fffn) | 0x5000n)
              .toString(16)
              .padStart(16, '0') +
            ((bytes.readBigUInt64BE(8) & 0x3fff_ffff_ffff_ffffn) | 0x8000_0000_0000_0000n).toString(
              16,
            );
          const id = eventIdOf(command, stream, attempt, index);
          expect(id.replaceAll('-', '')).toBe(digits);
          expect(id).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
        },
      ),
    );
  });

  it('differs with command, stream, attempt and index', () => {
    const command = newCommandId();
    const ids = [
      eventIdOf(command, 's', 0, 0),
      eventIdOf(newCommandId(), 's', 0, 0),
      eventIdOf(command, 't', 0, 0),
      eventIdOf(command, 's', 1, 0),
      eventIdOf(command, 's', 0, 1),
    ];
    expect(new Set(ids).size).toBe(5);
    expect(eventIdOf(command, 's', 0, 0)).toBe(ids[0]);
  });

  it('becomes the public id of the event', () => {
    expect(publicEventId('00000000-0000-0000-0000-000000000000')).toBe(`evt_${'0'.repeat(26)}`);
    expect(publicEventId('ffffffff-ffff-ffff-ffff-ffffffffffff')).toBe(`evt_${'z'.repeat(25)}w`);
  });
});

it.each([
  ['prog_a', true],
  ['prog_A-_9', true],
  [`prog_${'a'.repeat(64)}`, true],
  ['prog_', false],
  [`prog_${'a'.repeat(65)}`, false],
  ['prog_a b', false],
  ['prog_é', false],
  ['Prog_a', false],
  ['prog_a\n', false],
])('%j as the id of a program: %s', (id, ok) => {
  expect([programIdSchema.safeParse(id).success, isId('program', id)]).toEqual([ok, ok]);
});
