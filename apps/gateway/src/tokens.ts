/** The injection tokens of values that are not classes. */
export const configToken = Symbol('Config');
export const secretBoxToken = Symbol('SecretBox');
