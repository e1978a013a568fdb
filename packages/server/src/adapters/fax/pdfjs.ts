import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readBitmaps } from './bitmap-stream.ts'
import { startLimited, type ChildEnd } from './limited-child.ts'
import { locked, tooLong } from './pdfjs-exits.ts'
import { maxPageBytes, refused, type Renderer, type RenderLimits } from './renderer.ts'

const program = fileURLToPath(new URL(`./pdfjs-child${extname(import.meta.filename)}`, import.meta.url))
const heapMegabytes = 512
/** Start of Node and pdf.js on a slow machine. */
const beginSeconds = 5

/** Without Poppler: pdf.js in a separate process, which may only read files. Slower. */
export const pdfjs = (limits: RenderLimits): Renderer => ({
  name: 'pdf.js',

  async *pages(pdf, max = limits.maxPages) {
    const may = ['--permission', '--allow-addons', '--allow-fs-read=*', '--no-warnings']
    const args = [...may, `--max-old-space-size=${heapMegabytes}`, program, pdf, String(limits.maxPages), String(max)]
    const pageSeconds = { first: beginSeconds + limits.pageSeconds, further: limits.pageSeconds }
    const child = startLimited(process.execPath, args, { ...limits, memory: 'resident', pageSeconds })
    try {
      for await (const page of readBitmaps(child.output, { kind: 'mono', maxBytes: maxPageBytes })) {
        child.paged()
        yield page
      }
      const end = await child.ended
      if (end.code !== 0) throw reasonOf(end, limits)
    } catch (error) {
      // The exit of the program explains truncated output.
      child.output.resume()
      const end = await child.ended
      throw end.code === 0 ? error : reasonOf(end, limits)
    } finally {
      child.stop()
    }
  },
})

const reasonOf = ({ code, stopped }: ChildEnd, { maxPages }: RenderLimits): Error => {
  if (code === locked) return refused.locked()
  if (code === tooLong) return refused.tooLong(maxPages)
  return stopped ? refused.tooMuch() : refused.unreadable()
}
