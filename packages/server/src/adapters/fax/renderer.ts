import { DocumentRefused } from '#core/kernel/ports/messages.ts'
import type { MonoPage } from './mono-page.ts'
import type { ReadUse } from './process-use.ts'

/** Renders pages of an untrusted PDF. */
export interface Renderer {
  readonly name: string
  /** The first `max` pages, or all. Throws DocumentRefused. Stops when the reader stops. */
  pages(pdf: string, max?: number): AsyncGenerator<MonoPage, void, undefined>
}

export interface RenderLimits {
  /** A document with more pages is rejected. */
  maxPages: number
  /** For the whole document. */
  seconds: number
  memoryBytes: number
  /** CPU time for one page: limits the cost of hostile images. */
  pageSeconds: number
  /** Maximum of all pages together, as stored. */
  maxBytes: number
  /** Reads the program's resource use; default: as this system allows. */
  readUse?: ReadUse
}

/** Per page: twice the longest. */
export const maxPageBytes = 4 * 1024 * 1024

export const refused = {
  unreadable: () => new DocumentRefused('is no PDF that can be read'),
  locked: () => new DocumentRefused('is protected by a password'),
  tooLong: (max: number) => new DocumentRefused(`must have at most ${max} pages`),
  tooMuch: () => new DocumentRefused('takes too long or too much memory to print'),
}
