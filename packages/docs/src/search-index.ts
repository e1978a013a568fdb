import type { Rendered } from './markdown.ts'
import type { Source, Sources } from './sources.ts'

type Part = [title: string, id: string, text: string]

/** A page as the script in the browser reads it. With a language it is found only by readers of that one. */
type Entry = [title: string, address: string, parts: Part[], language?: string]

/** Titles, headings and texts of all pages, for the search in the browser. */
export const searchIndex = ({ german }: Sources, rendered: ReadonlyMap<Source, Rendered>): string =>
  JSON.stringify(
    [...rendered].map(([page, { sections }]): Entry => {
      const parts = sections.map(({ title, id, depth, text }): Part => {
        const words = page.searched ? text : ''
        return depth === 1 ? ['', '', words] : [title, id, words]
      })
      const isOneOfTwo = page.language === 'de' || german.has(page.path)
      const [title, address] = [page.title, `/docs/${page.path}`]
      return isOneOfTwo ? [title, address, parts, page.language] : [title, address, parts]
    }),
  )
