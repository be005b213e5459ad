// `npm run lint`: the rules of eslint.config.mjs, with type information from one program for all
// files. Editors use eslint.config.mjs itself: they need type information for a few files at a
// time.
import config from './eslint.config.mjs';

export default [
  ...config,
  {
    files: ['**/*.ts'],
    languageOptions: { parserOptions: { projectService: false, project: 'tsconfig.check.json' } },
  },
];
