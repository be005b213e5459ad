/** Names under which Nest finds what is not a class. */
export const configToken = Symbol('Config');
export const secretBoxToken = Symbol('SecretBox');
