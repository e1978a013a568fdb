import { open, rename, rm } from 'node:fs/promises'
import { Problem } from '@offhook/contract/problem.ts'
import { DocumentRefused, type FaxFile, type FaxFiles, type FaxPrinter } from '#core/kernel/ports/messages.ts'
import { bindPages } from './bind-pages.ts'
import { onLine, type MonoPage } from './mono-page.ts'
import { pdfjs } from './pdfjs.ts'
import { writePng } from './png.ts'
import { hasPoppler, poppler } from './poppler.ts'
import { previewOf } from './preview.ts'
import { refused, type Renderer, type RenderLimits } from './renderer.ts'
import { reportOf } from './report.ts'
import { readTiff, type Source } from './tiff-reader.ts'
import { TiffWriter } from './tiff-writer.ts'
import { Turns } from './turns.ts'

export interface FaxPrinterDeps {
  files: FaxFiles
  maxPages: number
  /** Default: the best installed one. */
  renderer?: (limits: RenderLimits) => Renderer
  limits?: Partial<Omit<RenderLimits, 'maxPages'>>
}

type FaxName = Pick<FaxFile, 'accountId' | 'faxId'>

/** Documents printed concurrently. */
const concurrency = 2

const megabyte = 1024 * 1024
/** Two hundred A4 pages fit, even without repetition. */
const usual = { seconds: 120, pageSeconds: 1, memoryBytes: 1024 * megabyte, maxBytes: 128 * megabyte }

export const faxPrinter = ({ files, maxPages, renderer, limits }: FaxPrinterDeps): FaxPrinter => {
  const turns = new Turns(concurrency)
  const press = new Press(files, { maxPages, ...usual, ...limits }, renderer)
  return {
    render: (fax, pdf) =>
      turns.take(fax.accountId, async () => {
        try {
          await files.write({ ...fax, kind: 'document' }, pdf)
          return { pages: await press.print(fax) }
        } catch (error) {
          await files.erase(fax.accountId, fax.faxId)
          throw isFull(error) ? noRoom() : error
        }
      }),

    async bind(fax) {
      const pages = await withPages(files, fax, async (file) => {
        const found = await readTiff(file)
        if (found.length > 0) await files.write({ ...fax, kind: 'document' }, bindPages(file, found))
        return found.length
      })
      return { pages, preview: pages > 0 && (await isMade(turns.take(fax.accountId, () => press.preview(fax)))) }
    },

    report: (fax, text) =>
      withPages(files, fax, async (file) => {
        const [page] = await readTiff(file)
        await files.write({ ...fax, kind: 'report' }, reportOf(text, page && { file, page }))
      }),
  }
}

/** Converts documents to pages for the line. */
class Press {
  readonly #files: FaxFiles
  readonly #limits: RenderLimits
  readonly #make: FaxPrinterDeps['renderer']
  /** Chosen on first use. */
  #renderer: Promise<Renderer> | undefined

  constructor(files: FaxFiles, limits: RenderLimits, make: FaxPrinterDeps['renderer']) {
    this.#files = files
    this.#limits = limits
    this.#make = make
  }

  /** Returns the number of pages. */
  async print(fax: FaxName): Promise<number> {
    const path = await this.#files.pathOf({ ...fax, kind: 'pages' })
    const draft = `${path}.part`
    const file = await open(draft, 'w', 0o600)
    try {
      const tiff = await TiffWriter.begin(file)
      for await (const page of this.#pages(fax)) {
        if (tiff.pages === 0) await this.#writePreview(fax, page)
        await tiff.add(page)
        if (tiff.bytes > this.#limits.maxBytes) throw refused.tooMuch()
      }
      await file.sync()
      if (tiff.pages === 0) throw refused.unreadable()
      await rename(draft, path)
      await this.#files.written({ ...fax, kind: 'pages' })
      return tiff.pages
    } catch (error) {
      await rm(draft, { force: true })
      throw error
    } finally {
      await file.close()
    }
  }

  async preview(fax: FaxName): Promise<void> {
    for await (const page of this.#pages(fax, 1)) await this.#writePreview(fax, page)
  }

  async *#pages(fax: FaxName, max?: number): AsyncGenerator<MonoPage, void, undefined> {
    const renderer = await (this.#renderer ??= this.#choose())
    const lent = await this.#files.lend({ ...fax, kind: 'document' })
    if (!lent) throw new Error('the document of a fax is not there')
    try {
      for await (const page of renderer.pages(lent.path, max)) yield onLine(page)
    } finally {
      await lent.release()
    }
  }

  async #choose(): Promise<Renderer> {
    const make = this.#make ?? ((await hasPoppler()) ? poppler : pdfjs)
    return make(this.#limits)
  }

  async #writePreview(fax: FaxName, page: MonoPage): Promise<void> {
    await this.#files.write({ ...fax, kind: 'preview' }, await writePng(previewOf(page)))
  }
}

const nothing: Source = { bytes: 0, read: async () => new Uint8Array() }

/** Works on the pages for the line; none without a file. */
const withPages = async <T>(files: FaxFiles, fax: FaxName, work: (file: Source) => Promise<T>): Promise<T> => {
  const file = await files.open({ ...fax, kind: 'pages' })
  try {
    return await work(file ?? nothing)
  } finally {
    await file?.close()
  }
}

const isFull = (error: unknown): boolean => ['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException).code ?? '')

const noRoom = (): Problem => new Problem('unavailable', 'The disk has no room for more documents.')

/** A fax is complete without its preview, too. */
const isMade = async (work: Promise<void>): Promise<boolean> => {
  try {
    await work
    return true
  } catch (error) {
    if (error instanceof DocumentRefused || error instanceof Problem) return false
    throw error
  }
}
