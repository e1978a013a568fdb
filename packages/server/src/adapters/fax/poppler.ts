import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { readBitmaps } from './bitmap-stream.ts'
import { startLimited, type ChildEnd, type LimitedChild } from './limited-child.ts'
import { resolutionFor, type MonoPage } from './mono-page.ts'
import { maxPageBytes, refused, type Renderer, type RenderLimits } from './renderer.ts'

/** Consecutive pages with the same resolution. */
interface Run {
  first: number
  last: number
  x: string
  y: string
}

/** pdfinfo prints 20 kB for 200 pages; the rest is the document's metadata. */
const maxNotified = 1024 * 1024

type Start = (program: string, args: readonly string[]) => LimitedChild

/** The programs pdfinfo and pdftoppm. They neither run scripts of a document nor fetch external content. */
export const poppler = (limits: RenderLimits): Renderer => ({
  name: 'poppler',

  async *pages(pdf, max = limits.maxPages) {
    const until = performance.now() + limits.seconds * 1000
    const start: Start = (program, args) => {
      const seconds = (until - performance.now()) / 1000
      if (seconds <= 0) throw refused.tooMuch()
      const { pageSeconds } = limits
      return startLimited(program, args, {
        ...limits,
        seconds,
        memory: 'address',
        pageSeconds: { first: pageSeconds, further: pageSeconds },
      })
    }
    for (const run of await measure(start, pdf, { most: max, maxPages: limits.maxPages })) yield* print(start, pdf, run)
  },
})

/** Resolutions of the first pages. Reads only the page boxes. */
const measure = async (start: Start, pdf: string, { most: max, maxPages }: { most: number; maxPages: number }): Promise<Run[]> => {
  const child = start('pdfinfo', ['-f', '1', '-l', String(max), pdf])
  const [notified, end] = await Promise.all([textOf(child), child.ended])
  if (end.code !== 0) throw reasonOf(end)
  // The document's metadata precede it, and may look like this, too.
  const facts = notified.slice(Math.max(0, notified.lastIndexOf('\nPages:')))
  const count = Number(/^Pages:\s+(\d+)/m.exec(facts)?.[1] ?? 0)
  if (count < 1) throw refused.unreadable()
  if (count > maxPages) throw refused.tooLong(maxPages)
  const runs = runsOf(facts)
  if (runs.at(-1)?.last !== Math.min(count, max)) throw refused.unreadable()
  return runs
}

const textOf = async (child: LimitedChild): Promise<string> => {
  const pieces: Buffer[] = []
  let bytes = 0
  for await (const piece of child.output as AsyncIterable<Buffer>) {
    bytes += piece.length
    if (bytes > maxNotified) child.stop()
    else pieces.push(piece)
  }
  return Buffer.concat(pieces).toString('utf8')
}

/** Letters and lines without grey edges. */
const sharp = ['-aa', 'no', '-aaVector', 'no']

async function* print(start: Start, pdf: string, { first, last, x, y }: Run): AsyncGenerator<MonoPage, void, undefined> {
  const child = start('pdftoppm', ['-gray', ...sharp, '-cropbox', '-f', String(first), '-l', String(last), '-rx', x, '-ry', y, pdf])
  let missing = last - first + 1
  try {
    for await (const page of readBitmaps(child.output, { kind: 'grey', maxBytes: maxPageBytes })) {
      missing--
      child.paged()
      yield page
    }
    const end = await child.ended
    if (end.code !== 0 || missing > 0) throw reasonOf(end)
  } catch (error) {
    // The exit of the program explains truncated output.
    child.output.resume()
    const end = await child.ended
    throw end.code === 0 ? error : reasonOf(end)
  } finally {
    child.stop()
  }
}

const reasonOf = ({ stopped, complaint }: ChildEnd): Error => {
  if (/incorrect password/i.test(complaint)) return refused.locked()
  return stopped || /memory|bad_alloc/i.test(complaint) ? refused.tooMuch() : refused.unreadable()
}

/** `Page    3 size:  595.28 x 841.89 pts (A4)`, followed by `Page    3 rot:   90`; large sizes as `1e+06`. */
const pageFacts = /^Page\s+(\d+) size:\s+([\d.e+-]+) x ([\d.e+-]+) pts.*\nPage\s+\d+ rot:\s+(\d+)/gm

const runsOf = (facts: string): Run[] => {
  const runs: Run[] = []
  for (const [, number, width, height, turn] of facts.matchAll(pageFacts)) {
    const sides = [Number(width) || 1, Number(height) || 1] as const
    const { x, y } = turn === '90' || turn === '270' ? resolutionFor(sides[1], sides[0]) : resolutionFor(...sides)
    const page = { first: Number(number), last: Number(number), x: x.toFixed(6), y: y.toFixed(6) }
    const before = runs.at(-1)
    if (before?.x === page.x && before.y === page.y) before.last = page.last
    else runs.push(page)
  }
  return runs
}

/** Whether both programs are installed. */
export const hasPoppler = async (path = process.env.PATH ?? ''): Promise<boolean> => {
  const isThere = async (program: string): Promise<boolean> => {
    const places = path.split(':').filter((folder) => folder !== '')
    const found = await Promise.allSettled(places.map((folder) => access(join(folder, program), constants.X_OK)))
    return found.some(({ status }) => status === 'fulfilled')
  }
  return (await isThere('pdfinfo')) && (await isThere('pdftoppm'))
}
