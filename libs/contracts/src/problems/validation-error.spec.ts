import { validationError } from './validation-issues.js';
import type { ValidationIssue } from './problem-schema.js';

describe('the error for issues', () => {
  const fault = (index: number): ValidationIssue => ({
    path: `/f${index}`,
    code: 'required',
    message: `f${index} is required.`,
  });

  it('has the first one in its detail, and the number of others', () => {
    expect(validationError([fault(1)])).toMatchObject({
      code: 'validation_failed',
      message: 'f1 is required.',
      extras: { errors: [fault(1)] },
    });
    expect(validationError([fault(1), fault(2), fault(3)]).message).toBe(
      'f1 is required. See errors for 2 more.',
    );
  });

  it('lists at most a hundred', () => {
    const error = validationError(Array.from({ length: 150 }, (_, index) => fault(index)));
    expect(error.message).toMatch(/See errors for 149 more\.$/);
    expect(error.extras.errors).toHaveLength(100);
  });
});
