import type { z } from 'zod';
import { isObject } from '../is-object.js';
import { described, quoted } from './described.js';
import type { ValidationIssue } from './problem-schema.js';
import { DomainError } from './domain-error.js';
import { quotesAdvice } from './without-quotes.js';

/** Describes what was validated, so that an issue can say where it is and what is expected. */
export interface ValidationContext {
  /**
   * Where the values were sent. An issue names a parameter by its plain name, and a field of a body
   * by a JSON pointer. Default `body`.
   */
  readonly in?: 'body' | 'parameters';
  /** The known fields, for the message about an unknown one. */
  readonly known?: readonly string[];
  /** The fields of the record that cannot be sent in a body. */
  readonly immutable?: readonly string[];
}

/**
 * Returns one error for an issue, or for several, of which there must be at least one. When all of
 * them are `unknown_field`, or all are `immutable_field`, the error has that code; otherwise
 * `validation_failed`.
 */
export const validationError = (
  found: ValidationIssue | readonly ValidationIssue[],
): DomainError => {
  const issues = [found].flat();
  const more = issues.length - 1;
  const detail = `${issues[0]?.message ?? 'The request is not valid.'}${more > 0 ? ` See errors for ${more} more.` : ''}`;
  const special = (['unknown_field', 'immutable_field'] as const).find((code) =>
    issues.every((fault) => fault.code === code),
  );
  return new DomainError(special ?? 'validation_failed', detail, {
    errors: issues.slice(0, maxIssues),
  });
};

/**
 * Returns the issues that zod found. The parse must have used `reportInput`, or a missing value
 * cannot be told from a wrong one.
 */
export const issuesOf = (error: z.ZodError, context: ValidationContext = {}): ValidationIssue[] => {
  const issues = error.issues.flatMap(withinAlternative);
  return issues
    .filter((issue) => !isRedundant(issue, issues))
    .map(withDiscriminator)
    .flatMap((issue) =>
      issue.code === 'unrecognized_keys' ? keyIssues(issue, context) : [issueOf(issue, context)],
    );
};

type Issue = z.core.$ZodIssue;

/**
 * The maximum number of issues in a response: more than anyone reads, and few enough that a small
 * request never causes a huge response.
 */
const maxIssues = 100;

/**
 * Whether other issues make this one pointless: a patch is "empty" only because its fields are
 * unknown, or zod's own safe-integer range fails alongside another rule for the same value.
 */
const isRedundant = (issue: Issue, all: readonly Issue[]): boolean => {
  if (issue.code === 'custom')
    return codeOf(issue) === 'empty' && all.some(({ code }) => code === 'unrecognized_keys');
  const isSafeRange =
    (issue.code === 'too_big' || issue.code === 'too_small') && issue.origin === 'int';
  return (
    isSafeRange &&
    all.some(
      (other) => other !== issue && pointerOf(other.path, 'body') === pointerOf(issue.path, 'body'),
    )
  );
};

/**
 * Turns "no alternative matches" into the issues with the fields of the value, if it is an object
 * and only one alternative is an object too.
 */
const withinAlternative = (issue: Issue): readonly Issue[] => {
  if (issue.code !== 'invalid_union') return [issue];
  const [inner, ...others] = issue.errors.filter((issues) =>
    issues.every(({ code, path }) => code === 'unrecognized_keys' || path.length > 0),
  );
  return inner === undefined || others.length > 0
    ? [issue]
    : inner.map((each) => ({ ...each, path: [...issue.path, ...each.path] }));
};

/** Turns "no variant of the object matches" into an issue with the field that tells them apart. */
const withDiscriminator = (issue: Issue): Issue => {
  if (issue.code !== 'invalid_union' || !('options' in issue)) return issue;
  const { discriminator = '', options = [], input, path, message } = issue;
  return {
    code: 'invalid_value',
    values: options,
    path,
    message,
    input: isObject(input) ? input[discriminator] : input,
  };
};

const keyIssues = (
  issue: Extract<Issue, { code: 'unrecognized_keys' }>,
  { in: where = 'body', ...fields }: ValidationContext,
): ValidationIssue[] => {
  // the context knows only the fields of the body itself
  const { known = [], immutable = [] } = issue.path.length === 0 ? fields : {};
  return issue.keys.map((key) => {
    const path = pointerOf([...issue.path, key], where);
    const name = nameOf([...issue.path, key]);
    if (where === 'body' && immutable.includes(key))
      return { path, code: 'immutable_field', message: `${name} cannot be changed. Omit it.` };
    const what = where === 'body' ? 'field of this request' : 'query parameter of this operation';
    return {
      path,
      code: 'unknown_field',
      message: `${name} is not a ${what}. ${known.length > 0 ? `Use one of: ${known.join(', ')}.` : 'Omit it.'}`,
    };
  });
};

const issueOf = (issue: Issue, { in: where = 'body' }: ValidationContext): ValidationIssue => {
  const path = pointerOf(issue.path, where);
  const subject =
    issue.path.length > 0 ? nameOf(issue.path) : where === 'body' ? 'The body' : 'The query';
  if (isMissing(issue))
    return {
      path,
      code: 'required',
      message: `${subject} ${sentence(issue.message.startsWith('is required') ? issue.message : 'is required')}`,
    };
  const cause = issue.code === 'invalid_key' ? issue.issues[0] : undefined;
  if (cause !== undefined)
    return {
      path,
      code: codeOf(cause),
      message: `${nameOf(issue.path.slice(0, -1))} has the key ${quoted(String(issue.path.at(-1)))}, which ${sentence(predicateOf(cause, where))}`,
    };
  return {
    path,
    code: codeOf(issue),
    message: `${subject} ${sentence(predicateOf(issue, where))}`,
  };
};

const isMissing = (issue: Issue): boolean =>
  issue.code !== 'custom' && 'input' in issue && issue.input === undefined;

const codeOf = (issue: Issue): string => {
  switch (issue.code) {
    case 'custom':
      return typeof issue.params?.code === 'string' ? issue.params.code : 'invalid';
    case 'invalid_type':
      return issue.expected === 'int' ? 'not_an_integer' : 'wrong_type';
    case 'invalid_value':
    case 'invalid_union':
      return 'not_one_of';
    case 'invalid_format':
      return 'invalid_format';
    case 'too_small':
      return tooSmall[issue.origin] ?? 'too_small';
    case 'too_big':
      return tooBig[issue.origin] ?? 'too_large';
    case 'not_multiple_of':
    case 'invalid_key':
    case 'invalid_element':
    case 'unrecognized_keys':
      return 'invalid';
  }
};

/** The codes for values that are not numbers, by the type of the value. */
const tooSmall: Readonly<Record<string, string>> = { string: 'wrong_length', array: 'too_few' };
const tooBig: Readonly<Record<string, string>> = { string: 'wrong_length', array: 'too_many' };

/**
 * Returns the predicate of an issue's message. Messages of Refledger's schemas start in lower case
 * and continue after the field's name; zod's own messages are replaced.
 */
const predicateOf = (issue: Issue, where: 'body' | 'parameters'): string => {
  if (/^[a-z]/.test(issue.message)) return issue.message;
  switch (issue.code) {
    case 'invalid_type':
      return where === 'parameters' && Array.isArray(issue.input)
        ? 'must be given once'
        : `must be ${types[issue.expected] ?? issue.expected}${got(issue.input)}${quotesAdvice(issue.expected, issue.input)}`;
    case 'invalid_value':
      return `must be one of ${issue.values.join(', ')}${got(issue.input)}`;
    case 'too_small':
      return `must be at least ${issue.minimum}`;
    case 'too_big':
      return `must be at most ${issue.maximum}`;
    case 'invalid_format':
      return 'has the wrong format';
    case 'custom':
    case 'not_multiple_of':
    case 'invalid_union':
    case 'invalid_key':
    case 'invalid_element':
    case 'unrecognized_keys':
      return 'is invalid';
  }
};

const types: Readonly<Record<string, string>> = {
  string: 'text',
  array: 'an array',
  object: 'an object',
  record: 'an object',
  template_literal: 'text',
  int: 'an integer',
  number: 'a number',
  boolean: 'true or false',
};

const got = (input: unknown): string =>
  input === undefined ? '' : `, but was ${described(input)}`;

const sentence = (text: string): string => (text.endsWith('.') ? text : `${text}.`);

/** Returns a JSON pointer (RFC 6901), or the name of a parameter. */
const pointerOf = (path: readonly PropertyKey[], where: 'body' | 'parameters'): string =>
  where === 'parameters'
    ? path.map(String).join('.')
    : path.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

/** Returns the path as people write it: `metadata.source`, `events[0]`, `metadata["a b"]`. */
const nameOf = (path: readonly PropertyKey[]): string =>
  path
    .map((key, index) =>
      typeof key === 'number' ? `[${key}]` : memberName(String(key), index > 0),
    )
    .join('');

const memberName = (key: string, isInner: boolean): string => {
  if (isPlain(key)) return isInner ? `.${key}` : key;
  return isInner ? `[${quoted(key)}]` : quoted(key);
};

const isPlain = (key: string): boolean => /^\w{1,40}$/.test(key);
