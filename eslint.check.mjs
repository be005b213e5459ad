// `npm run lint`: the same rules, with the types of one program for all files. Editors, which use
// eslint.config.mjs, need those of a few files at once.
import config from './eslint.config.mjs';

export default [
  ...config,
  {
    files: ['**/*.ts'],
    languageOptions: { parserOptions: { projectService: false, project: 'tsconfig.check.json' } },
  },
];
