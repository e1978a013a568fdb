import { readFile } from 'node:fs/promises'

/** Document that the questions are about: Markdown, in `de` or `en`. */
export const readKnowledge = (language: string, name: string): Promise<string> =>
  readFile(new URL(`./${language}/${name}.md`, import.meta.url), 'utf8')
