/** The injection token of the configuration, which is not a class. */
export const configToken = Symbol('Config');
