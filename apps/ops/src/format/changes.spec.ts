import { changesOf, fieldsOf } from './changes.js';

describe('changesOf', () => {
  it('shows everything in a new record except empty fields', () => {
    const data = {
      affiliate_id: 'aff_1',
      after: { status: 'pending', reason: null, metadata: {} },
    };
    expect(changesOf({ data })).toEqual([
      { field: 'affiliate_id', after: 'aff_1' },
      { field: 'status', after: 'pending' },
      { field: 'reason', after: null },
    ]);
  });

  it('shows only the differences of an existing record', () => {
    const data = {
      affiliate_id: 'aff_1',
      before: { status: 'pending', reason: null, metadata: { plan: 'a', gone: 'x' } },
      after: { status: 'rejected', reason: null, metadata: { plan: 'b' } },
    };
    expect(changesOf({ data })).toEqual([
      { field: 'status', before: 'pending', after: 'rejected' },
      { field: 'metadata.plan', before: 'a', after: 'b' },
      { field: 'metadata.gone', before: 'x' },
    ]);
  });

  it('shows what has become null by its values before, and what was null by those after', () => {
    const [none, flat] = [{ terms: null }, { terms: { type: 'flat', amounts: {} } }];
    expect(changesOf({ data: { before: none, after: flat } })).toEqual([
      { field: 'terms.type', after: 'flat' },
    ]);
    expect(changesOf({ data: { before: flat, after: none } })).toEqual([
      { field: 'terms.type', before: 'flat' },
      { field: 'terms', after: null },
    ]);
  });

  it('shows the reason for a change that the record itself does not keep', () => {
    const data = {
      program_id: 'prog_a',
      before: { name: 'A', terms: null },
      after: { name: 'A', terms: { type: 'percentage', rate_bps: 2000 } },
      reason: 'agreed',
    };
    expect(changesOf({ data })).toEqual([
      { field: 'terms.type', after: 'percentage' },
      { field: 'terms.rate_bps', after: 2000 },
      { field: 'reason', after: 'agreed' },
    ]);
    expect(changesOf({ data: { ...data, reason: null } })).toHaveLength(2);
  });

  it('shows once the reason for a change that the record keeps too', () => {
    const refund = (before: string | null, after: string) => ({
      before: { refunded_amount: 0, reason: before },
      after: { refunded_amount: 1, reason: after },
      reason: 'broken',
    });
    const refunded = { field: 'refunded_amount', before: 0, after: 1 };
    expect(changesOf({ data: refund(null, 'broken') })).toEqual([
      refunded,
      { field: 'reason', before: null, after: 'broken' },
    ]);
    expect(changesOf({ data: refund('broken', 'broken') })).toEqual([
      refunded,
      { field: 'reason', after: 'broken' },
    ]);
  });

  it('shows the last state of a deleted record', () => {
    expect(changesOf({ data: { affiliate_id: 'aff_1', before: { name: 'Ada' } } })).toEqual([
      { field: 'name', before: 'Ada' },
    ]);
  });

  it('compares fields with those of an earlier event, and names their record', () => {
    const first = { data: { endpoint_id: 'whk_1', fields: { events: ['a'], description: null } } };
    const second = {
      data: { endpoint_id: 'whk_1', fields: { events: ['a', 'b'], description: null } },
    };
    expect(changesOf(second, fieldsOf(first))).toEqual([
      { field: 'endpoint_id', after: 'whk_1' },
      { field: 'events', before: ['a'], after: ['a', 'b'] },
    ]);
  });

  it('does not mistake an event without fields for one that clears them', () => {
    expect(
      changesOf({ data: { endpoint_id: 'whk_1', reason: 'gone' } }, { events: ['a'] }),
    ).toEqual([
      { field: 'endpoint_id', after: 'whk_1' },
      { field: 'reason', after: 'gone' },
    ]);
  });

  it('shows data that is not an object', () => {
    expect(changesOf({ data: 7 })).toEqual([{ field: 'value', after: 7 }]);
  });
});
