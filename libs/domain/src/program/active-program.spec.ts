import { present } from '@refledger/testing/present';
import { instantOf, given, refusal, textMatching, when } from '../../test/scenario.js';
import { affiliateDecider } from '../affiliate/affiliate.decider.js';
import { conversionDecider, type ConversionCommand } from '../conversion/conversion.decider.js';
import { affiliateEvents } from '../testing/affiliate-events.js';
import { requireActiveProgram } from './active-program.js';
import { programDecider } from './program.decider.js';

const program_id = 'prog_spring';
const [created] = when(programDecider, programDecider.initial, { type: 'register', program_id });
const active = given(programDecider, present(created));
const [archive] = when(programDecider, active, {
  type: 'update',
  program_id,
  patch: { status: 'archived' },
});
const archived = given(programDecider, present(created), present(archive));

it.each([
  ['does not exist', given(programDecider)],
  ['is active', active],
])('allows something new in a program that %s', (_, program) => {
  expect(() => requireActiveProgram(program, 'affiliates')).not.toThrow();
});

it.each(['affiliates', 'conversions'] as const)('allows no new %s if it is archived', (what) => {
  expect(refusal(() => requireActiveProgram(archived, what))).toMatchObject({
    code: 'program_not_active',
    detail: textMatching(new RegExp(`${program_id} is archived and accepts no new ${what}`)),
  });
});

it('holds for a new conversion, and not for one that was recorded before', () => {
  const affiliate = given(
    affiliateDecider,
    affiliateEvents.created({ affiliate_id: 'aff_1', program_id }),
  );
  const record = (program: typeof active): ConversionCommand => ({
    type: 'record',
    conversion_id: 'conv_1',
    affiliate,
    program,
    firstOccurredAt: null,
    recordedAt: instantOf(0),
    sale: { affiliate_id: 'aff_1', sale_amount: 1, sale_currency: 'USD' },
  });
  expect(
    refusal(() => conversionDecider.decide(record(archived), conversionDecider.initial)).code,
  ).toBe('program_not_active');
  const recorded = conversionDecider.decide(record(active), conversionDecider.initial);
  expect(recorded).toHaveLength(1);
  expect(conversionDecider.decide(record(archived), given(conversionDecider, ...recorded))).toEqual(
    [],
  );
});
