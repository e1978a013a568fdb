import { DocumentRefused } from '#core/kernel/ports/fax-papers.ts'
import type { MonoPage } from './mono-page.ts'
import type { ReadUse } from './process-use.ts'

/** Makes pages of a PDF that is not trusted. */
export interface Renderer {
  readonly name: string
  /** The first `most` pages, or all. Throws DocumentRefused. Who stops reading stops it. */
  pages(pdf: string, max?: number): AsyncGenerator<MonoPage, void, undefined>
}

export interface RenderLimits {
  /** A document with more pages is refused. */
  maxPages: number
  /** For the whole document. */
  seconds: number
  memoryBytes: number
  /** Of the processor, for one page: what hostile pictures cost at most. */
  pageSeconds: number
  /** Of all pages together, as they are kept. */
  maxBytes: number
  /** How the program that makes them is watched; as this system allows, unless given. */
  readUse?: ReadUse
}

/** Of one page: twice what the longest has. */
export const maxPageBytes = 4 * 1024 * 1024

export const refused = {
  unreadable: () => new DocumentRefused('is no PDF that can be read'),
  locked: () => new DocumentRefused('is protected by a password'),
  tooLong: (max: number) => new DocumentRefused(`must have at most ${max} pages`),
  tooMuch: () => new DocumentRefused('takes too long or too much memory to print'),
}
