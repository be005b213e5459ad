import { isAccepted } from './accepted-findings.js';
import { findingsIn, type Finding } from './finding.js';

/** One line of a report, with a response and the checks of it. */
const line = (checks: readonly object[]): string =>
  JSON.stringify({
    ScenarioFinished: {
      recorder: {
        label: 'GET /v1/account',
        checks: { a: checks },
        interactions: {
          a: {
            request: { method: 'GET', uri: 'http://x/v1/account' },
            response: { status_code: 500, content: { $base64: btoa('not JSON') } },
          },
        },
      },
    },
  });
const failed = { name: 'not_a_server_error', status: 'failure' };

describe('the findings of a report', () => {
  it('are the failed checks, with the responses', () => {
    const report = ['{"Initialize":{}}', line([failed, { name: 'x', status: 'success' }]), ''];
    const problem = { detail: 'not JSON' };
    const exchange = { request: 'GET http://x/v1/account', status: 500, problem };
    expect(findingsIn(report.join('\n'))).toEqual([
      { operation: 'GET /v1/account', check: 'not_a_server_error', message: '', exchange },
    ]);
  });

  it('include checks without a response', () => {
    const event = { ScenarioFinished: { recorder: { label: 'a run', checks: { a: [failed] } } } };
    const [finding] = findingsIn(JSON.stringify(event));
    expect(finding).toMatchObject({ operation: 'a run', exchange: undefined });
    expect(finding && isAccepted(finding)).toBe(false);
  });
});

describe('a finding', () => {
  const finding = (status: number, problem: object, check?: string): Finding => ({
    operation: 'GET /',
    check: check ?? 'positive_data_acceptance',
    message: '',
    exchange: { request: 'GET /', status, problem },
  });
  const errors = [{ path: 'cursor', code: 'bad_cursor' }];
  const problem = { code: 'validation_failed', errors };

  it('is accepted if check, status, code and fault are in the list', () => {
    expect(isAccepted(finding(422, problem))).toBe(true);
    expect(isAccepted(finding(412, { code: 'revision_mismatch' }))).toBe(true);
    expect(isAccepted(finding(428, { code: 'precondition_required' }))).toBe(true);
    const behind = finding(503, { code: 'read_model_behind' }, 'not_a_server_error');
    expect(isAccepted(behind)).toBe(true);
    const mixed = [...errors, { path: 'as_of', code: 'too_large' }];
    expect(isAccepted(finding(422, { ...problem, errors: mixed }))).toBe(true);
  });

  it.each([
    finding(400, problem),
    finding(422, problem, 'response_schema_conformance'),
    finding(422, { ...problem, code: 'idempotency_key' }),
    finding(422, { ...problem, errors: [] }),
    finding(422, { ...problem, errors: [{ path: 'limit', code: 'bad_cursor' }] }),
    finding(422, { ...problem, errors: [...errors, { path: '/name', code: 'required' }] }),
    finding(503, { code: 'unavailable' }, 'not_a_server_error'),
    finding(500, {}, 'not_a_server_error'),
  ])('is not accepted otherwise: %j', (other) => {
    expect(isAccepted(other)).toBe(false);
  });
});
