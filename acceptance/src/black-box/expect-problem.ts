/// <reference types="jest" />
import type { ApiResponse, Problem } from '@refledger/testing';

/** Expects an error with this status and code, and returns its problem. */
export const expectProblem = (response: ApiResponse, status: number, code: string): Problem => {
  // a decoding boundary: the client has checked the shape of every error
  const problem = response.body as Problem | undefined;
  expect([response.status, problem?.code, response.text]).toEqual([status, code, response.text]);
  return problem as Problem;
};

/** Expects a 422 whose `errors` have exactly these paths. */
export const expectIssues = (
  response: ApiResponse,
  code: string,
  paths: readonly string[],
): void => {
  const { errors = [] } = expectProblem(response, 422, code);
  expect([...new Set(errors.map(({ path }) => path))].toSorted()).toEqual(paths.toSorted());
};

/** Matchers typed as `unknown`, since Jest's own matchers are `any`. */
export const like = {
  id: (prefix: string): unknown =>
    expect.stringMatching(new RegExp(`^${prefix}_[0-9a-hjkmnp-tv-z]{26}$`)),
  instant: (): unknown => expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
  text: (pattern: RegExp): unknown => expect.stringMatching(pattern),
};
