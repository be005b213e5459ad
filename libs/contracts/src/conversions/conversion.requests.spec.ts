import { issuesOf } from '../problems/validation-issues.js';
import { updateConversionSchema } from './conversion.requests.js';

const issuesWith = (patch: object) => {
  const { error } = updateConversionSchema.safeParse(patch, { reportInput: true });
  return error === undefined ? [] : issuesOf(error);
};

it.each([
  [
    { commission: { source: 'program' } },
    'immutable_field',
    'commission cannot be changed. Send commission_amount, or commission "by_terms".',
  ],
  [{ commission: 'terms' }, 'not_one_of', 'commission must be "by_terms", but was "terms".'],
  [
    { commission: 'by_terms', commission_amount: null },
    'with_commission_amount',
    'commission is not accepted together with commission_amount. Leave one of the two out.',
  ],
])('a conversion is not changed by %j', (patch, code, message) => {
  expect(issuesWith(patch)).toEqual([{ path: '/commission', code, message }]);
});

it.each([{ commission: 'by_terms' }, { commission: 'by_terms', status: 'approved', reason: 'x' }])(
  'a conversion may be changed by %j',
  (patch) => {
    expect(updateConversionSchema.parse(patch)).toEqual(patch);
  },
);
