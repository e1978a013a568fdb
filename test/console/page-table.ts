/** Page properties that the tests need. */
interface KnownPage {
  path: string
  title: { en: string; de: string }
  role: 'user' | 'operator'
}

/** A variable hides the path from the compiler: the console is checked with browser types, the tests with Node's. */
const table: string = '../../packages/console/src/pages/pages.ts'

export const { pages } = (await import(table)) as { pages: readonly KnownPage[] }
