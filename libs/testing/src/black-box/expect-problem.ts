/// <reference types="jest" />
import type { Answer } from '../api-client.js';
import type { Problem } from '../records.js';

/** Expects an error with this status and code, and returns its problem. */
export const expectProblem = (answer: Answer, status: number, code: string): Problem => {
  // a decoding border: the client has checked the shape of every error
  const problem = answer.body as Problem | undefined;
  expect([answer.status, problem?.code, answer.text]).toEqual([status, code, answer.text]);
  return problem as Problem;
};

/** Expects a 422 whose `errors` have exactly these paths. */
export const expectIssues = (answer: Answer, code: string, paths: readonly string[]): void => {
  const { errors = [] } = expectProblem(answer, 422, code);
  expect([...new Set(errors.map(({ path }) => path))].toSorted()).toEqual(paths.toSorted());
};

/** Matchers typed as `unknown`, since Jest's own matchers are `any`. */
export const like = {
  id: (prefix: string): unknown =>
    expect.stringMatching(new RegExp(`^${prefix}_[0-9a-hjkmnp-tv-z]{26}$`)),
  instant: (): unknown => expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
  text: (pattern: RegExp): unknown => expect.stringMatching(pattern),
};
