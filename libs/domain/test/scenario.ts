import { DomainError, eventSchemas, toInstant } from '@refledger/contracts';
import type { DomainEvent, ProblemCode } from '@refledger/contracts';
import fc from 'fast-check';
import { fold } from '../src/index.js';
import type { Decider } from '../src/index.js';

/** Returns the instant at which the event with this revision was recorded. */
export const instantOf = (revision: number): string =>
  toInstant(Date.UTC(2026, 0, 1) + revision * 1000);

/** Returns the state after a history. */
export const given = <C, S, E>(decider: Decider<C, S, E>, ...history: readonly E[]): S =>
  fold(
    decider,
    history.map((event, revision) => ({
      ...event,
      revision,
      metadata: { recorded_at: instantOf(revision) },
    })),
  );

/**
 * Returns the state after a history whose last event has this revision, as if more events had come
 * before.
 */
export const givenUpTo = <C, S, E>(
  decider: Decider<C, S, E>,
  last: number,
  history: readonly E[],
): S => {
  const first = last - history.length + 1;
  return fold(
    decider,
    history.map((event, n) => ({
      ...event,
      revision: first + n,
      metadata: { recorded_at: instantOf(first + n) },
    })),
  );
};

/** Returns the decision, and checks that every event follows its schema. */
export const when = <C, S, E extends DomainEvent>(
  decider: Decider<C, S, E>,
  state: S,
  command: C,
): readonly E[] => {
  const events = decider.decide(command, state);
  for (const event of events) eventSchemas.get(event.type)?.parse(event.data);
  return events;
};

/** Returns the problem with which a command is refused. */
export const refusal = (
  act: () => unknown,
): { code: ProblemCode; detail: string; extras: object } => {
  try {
    act();
  } catch (error) {
    if (error instanceof DomainError)
      return { code: error.code, detail: error.message, extras: error.extras };
    throw error;
  }
  throw new Error('expected the command to be refused');
};

/**
 * Checks the laws of every decider, for any commands in any order: one command makes at most two
 * events, which follow their schemas; a refusal is always a `DomainError`; and `holds` passes after
 * each event.
 */
export const obeysLaws = <C, S, E extends DomainEvent>(
  decider: Decider<C, S, E>,
  commands: fc.Arbitrary<C>,
  holds: (after: { state: S; command: C; event: E; history: readonly E[] }) => void,
): void => {
  fc.assert(
    fc.property(fc.array(commands, { maxLength: 12 }), (sequence) => {
      const history: E[] = [];
      for (const command of sequence) {
        const events = decidedOrRefused(() => when(decider, given(decider, ...history), command));
        expect(events.length).toBeLessThanOrEqual(2);
        for (const event of events) {
          history.push(event);
          holds({ state: given(decider, ...history), command, event, history });
        }
      }
    }),
  );
};

/** Text such as clients send: any characters, sometimes with spaces around them. */
export const textArbitrary = fc.oneof(
  fc.constantFrom('a', ' a ', 'b'),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }),
);

export const metadataArbitrary = fc.oneof(
  fc.constantFrom<Record<string, string>>({}, { a: '1', b: '2' }, { b: '2', a: '1' }),
  // parsed JSON has no objects without a prototype
  fc.dictionary(textArbitrary, textArbitrary, { maxKeys: 3, noNullPrototype: true }),
);

const decidedOrRefused = <E>(decide: () => readonly E[]): readonly E[] => {
  try {
    return decide();
  } catch (error) {
    if (error instanceof DomainError) return [];
    throw error;
  }
};

/** Matches text that contains this. The type is `unknown`, since Jest's own matchers are `any`. */
export const textMatching = (what: string | RegExp): unknown => expect.stringMatching(what);
