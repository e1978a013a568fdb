import { open, readFile, rename, rm } from 'node:fs/promises'
import { Problem } from '@offhook/contract/problem.ts'
import { DocumentRefused, type FaxFile, type FaxFiles, type FaxPrinter } from '../../core/ports/fax-papers.ts'
import { bindPages } from './bind-pages.ts'
import { onLine, type MonoPage } from './mono-page.ts'
import { pdfjs } from './pdfjs.ts'
import { writePng } from './png.ts'
import { hasPoppler, poppler } from './poppler.ts'
import { previewOf } from './preview.ts'
import { refused, type Renderer, type RenderLimits } from './renderer.ts'
import { reportOf } from './report.ts'
import { readTiff, type TiffPage } from './tiff-reader.ts'
import { TiffWriter } from './tiff-writer.ts'
import { Turns } from './turns.ts'

export interface FaxPrinterParts {
  files: FaxFiles
  mostPages: number
  /** The best that is installed, unless given. */
  renderer?: (limits: RenderLimits) => Renderer
  limits?: Partial<Omit<RenderLimits, 'mostPages'>>
}

type FaxName = Pick<FaxFile, 'accountId' | 'faxId'>

/** Documents that are printed at the same time. */
const atOnce = 2

const usual = { seconds: 120, memoryBytes: 1024 * 1024 * 1024 }

export const faxPrinter = ({ files, mostPages, renderer, limits }: FaxPrinterParts): FaxPrinter => {
  const turns = new Turns(atOnce)
  const press = new Press(files, { mostPages, ...usual, ...limits }, renderer)
  return {
    render: (fax, pdf) =>
      turns.take(async () => {
        try {
          await files.write({ ...fax, kind: 'document' }, pdf)
          return { pages: await press.print(fax) }
        } catch (error) {
          await files.erase(fax.accountId, fax.faxId)
          throw (error as NodeJS.ErrnoException).code === 'ENOSPC' ? noRoom() : error
        }
      }),

    async bind(fax) {
      const pages = await pagesOf(files, fax)
      if (pages.length === 0) return { pages: 0, preview: false }
      await files.write({ ...fax, kind: 'document' }, bindPages(pages))
      return { pages: pages.length, preview: await isMade(turns.take(() => press.preview(fax))) }
    },

    async report(fax, text) {
      const [first] = await pagesOf(files, fax)
      await files.write({ ...fax, kind: 'report' }, reportOf(text, first))
    },
  }
}

/** Makes pages for the line of documents. */
class Press {
  readonly #files: FaxFiles
  readonly #limits: RenderLimits
  readonly #make: FaxPrinterParts['renderer']
  /** What is installed is looked at when it is first needed. */
  #renderer: Promise<Renderer> | undefined

  constructor(files: FaxFiles, limits: RenderLimits, make: FaxPrinterParts['renderer']) {
    this.#files = files
    this.#limits = limits
    this.#make = make
  }

  /** Gives how many there are. */
  async print(fax: FaxName): Promise<number> {
    const path = await this.#files.pathOf({ ...fax, kind: 'pages' })
    const draft = `${path}.part`
    const file = await open(draft, 'w', 0o600)
    try {
      const tiff = await TiffWriter.begin(file)
      for await (const page of this.#pages(fax)) {
        if (tiff.pages === 0) await this.#writePreview(fax, page)
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

  async preview(fax: FaxName): Promise<void> {
    for await (const page of this.#pages(fax, 1)) await this.#writePreview(fax, page)
  }

  async *#pages(fax: FaxName, most?: number): AsyncGenerator<MonoPage, void, undefined> {
    const renderer = await (this.#renderer ??= this.#choose())
    const path = await this.#files.pathOf({ ...fax, kind: 'document' })
    for await (const page of renderer.pages(path, most)) yield onLine(page)
  }

  async #choose(): Promise<Renderer> {
    const make = this.#make ?? ((await hasPoppler()) ? poppler : pdfjs)
    return make(this.#limits)
  }

  #writePreview(fax: FaxName, page: MonoPage): Promise<void> {
    return this.#files.write({ ...fax, kind: 'preview' }, writePng(previewOf(page)))
  }
}

/** None when there is no file. */
const pagesOf = async (files: FaxFiles, fax: FaxName): Promise<TiffPage[]> => {
  const path = await files.pathOf({ ...fax, kind: 'pages' })
  return readTiff(
    await readFile(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return Buffer.alloc(0)
      throw error
    }),
  )
}

const noRoom = (): Problem => new Problem('unavailable', 'The disk has no room for more documents.')

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
