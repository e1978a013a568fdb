/** What the tests need to know of a page. */
interface KnownPage {
  path: string
  title: { en: string; de: string }
  role: 'user' | 'operator'
}

/** By a name that only the runtime knows: the console is checked with the types of browsers, the tests with those of Node. */
const table: string = '../../packages/console/src/pages/pages.ts'

export const { pages } = (await import(table)) as { pages: readonly KnownPage[] }
