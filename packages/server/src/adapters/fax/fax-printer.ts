import { open, readFile, rename, rm } from 'node:fs/promises'
import { Problem } from '@offhook/contract/problem.ts'
import { DocumentRefused, type FaxFiles, type FaxPrinter } from '../../core/ports/fax-papers.ts'
import { bindPages } from './bind-pages.ts'
import { onLine, type MonoPage } from './mono-page.ts'
import { pdfjs } from './pdfjs.ts'
import { writePng } from './png.ts'
import { hasPoppler, poppler } from './poppler.ts'
import { previewOf } from './preview.ts'
import { refused, type Renderer, type RenderLimits } from './renderer.ts'
import { reportOf } from './report.ts'
import { readTiff } from './tiff-reader.ts'
import { TiffWriter } from './tiff-writer.ts'

export interface FaxPrinterParts {
  files: FaxFiles
  mostPages: number
  /** The best that is installed, unless given. */
  renderer?: (limits: RenderLimits) => Renderer
  limits?: Partial<Omit<RenderLimits, 'mostPages'>>
}

interface FaxName {
  accountId: string
  faxId: string
}

/** Documents that are printed at the same time; others wait, … */
const atOnce = 2
/** … but not more than so many. */
const mostWaiting = 32

const usual = { seconds: 90, memoryBytes: 1024 * 1024 * 1024 }

/** Looks at what is installed when it is first needed. */
export const faxPrinter = ({ files, mostPages, renderer, limits }: FaxPrinterParts): FaxPrinter => {
  const turns = new Turns(atOnce)
  const all = { mostPages, ...usual, ...limits }
  let chosen: Promise<Renderer> | undefined
  const choose = async (): Promise<Renderer> => (renderer ? renderer(all) : (await hasPoppler()) ? poppler(all) : pdfjs(all))

  const pagesOf = async function* (path: string, most?: number): AsyncGenerator<MonoPage, void, undefined> {
    for await (const page of (await (chosen ??= choose())).pages(path, most)) yield onLine(page)
  }

  const writePreview = (fax: FaxName, page: MonoPage): Promise<void> => files.write({ ...fax, kind: 'preview' }, writePng(previewOf(page)))

  const print = async (fax: FaxName): Promise<number> => {
    const path = await files.pathOf({ ...fax, kind: 'pages' })
    const draft = `${path}.part`
    const file = await open(draft, 'w', 0o600)
    try {
      const tiff = await TiffWriter.begin(file)
      for await (const page of pagesOf(await files.pathOf({ ...fax, kind: 'document' }))) {
        if (tiff.pages === 0) await writePreview(fax, page)
        await tiff.add(page)
      }
      await file.sync()
      if (tiff.pages === 0) throw refused.unreadable()
      await rename(draft, path)
      return tiff.pages
    } catch (error) {
      await rm(draft, { force: true })
      throw error
    } finally {
      await file.close()
    }
  }

  const preview = async (fax: FaxName): Promise<void> => {
    for await (const page of pagesOf(await files.pathOf({ ...fax, kind: 'document' }), 1)) await writePreview(fax, page)
  }

  return {
    async render(fax, pdf) {
      return turns.take(async () => {
        try {
          await files.write({ ...fax, kind: 'document' }, pdf)
          return { pages: await print(fax) }
        } catch (error) {
          await files.erase(fax.accountId, fax.faxId)
          throw error
        }
      })
    },

    async bind(fax) {
      const file = await files.open({ ...fax, kind: 'pages' })
      await file?.close()
      const pages = file ? readTiff(await readFile(await files.pathOf({ ...fax, kind: 'pages' }))) : []
      if (pages.length === 0) return { pages: 0, preview: false }
      await files.write({ ...fax, kind: 'document' }, bindPages(pages))
      return { pages: pages.length, preview: await isMade(turns.take(() => preview(fax))) }
    },

    async report(fax, text) {
      const file = await files.open({ ...fax, kind: 'pages' })
      await file?.close()
      const [first] = file ? readTiff(await readFile(await files.pathOf({ ...fax, kind: 'pages' }))) : []
      await files.write({ ...fax, kind: 'report' }, reportOf(text, first))
    },
  }
}

/** A fax is there without its preview, too. */
const isMade = async (work: Promise<void>): Promise<boolean> => {
  try {
    await work
    return true
  } catch (error) {
    if (error instanceof DocumentRefused || error instanceof Problem) return false
    throw error
  }
}

/** So many at the same time; the others wait in the order in which they came. */
class Turns {
  readonly #waiting: (() => void)[] = []
  #free: number

  constructor(atOnce: number) {
    this.#free = atOnce
  }

  async take<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--
    else if (this.#waiting.length >= mostWaiting) throw new Problem('unavailable', 'Too many documents are being printed at the moment.')
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#free++
    }
  }
}
