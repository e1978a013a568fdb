import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { readBitmaps } from './bitmap-stream.ts'
import { startLimited, type ChildEnd } from './limited-child.ts'
import { resolutionFor } from './mono-page.ts'
import { mostPageBytes, refused, type Renderer, type RenderLimits } from './renderer.ts'

/** Pages that follow each other and are printed at the same resolution. */
interface Run {
  first: number
  last: number
  x: string
  y: string
}

/** The programs pdfinfo and pdftoppm. They neither run scripts of a document nor fetch what it refers to. */
export const poppler = (limits: RenderLimits): Renderer => {
  const start = (program: string, args: readonly string[]) => startLimited(program, args, { ...limits, memory: 'address' })

  /** How the pages are to be printed. Only the boxes are looked at. */
  const measure = async (pdf: string, most: number): Promise<Run[]> => {
    const child = start('pdfinfo', ['-f', '1', '-l', String(most), pdf])
    const [told, end] = await Promise.all([text(child.output), child.ended])
    if (end.code !== 0) throw reasonOf(end)
    const count = Number(/^Pages:\s+(\d+)/m.exec(told)?.[1] ?? 0)
    if (count < 1) throw refused.unreadable()
    if (count > limits.mostPages) throw refused.tooLong(limits.mostPages)
    return runsOf(told)
  }

  return {
    name: 'poppler',

    async *pages(pdf, most = limits.mostPages) {
      for (const { first, last, x, y } of await measure(pdf, most)) {
        const range = ['-f', String(first), '-l', String(last), '-rx', x, '-ry', y]
        const child = start('pdftoppm', ['-mono', '-cropbox', ...range, pdf])
        let missing = last - first + 1
        try {
          for await (const page of readBitmaps(child.output, mostPageBytes)) {
            missing--
            yield page
          }
          const end = await child.ended
          if (end.code !== 0 || missing > 0) throw reasonOf(end)
        } catch (error) {
          // What is cut short by the end of the program is explained by that.
          child.output.resume()
          const end = await child.ended
          throw end.code === 0 ? error : reasonOf(end)
        } finally {
          child.stop()
        }
      }
    },
  }
}

const reasonOf = ({ stopped, complaint }: ChildEnd): Error => {
  if (/incorrect password/i.test(complaint)) return refused.locked()
  return stopped || /memory|bad_alloc/i.test(complaint) ? refused.tooMuch() : refused.unreadable()
}

/** `Page    3 size: 595.28 x 841.89 pts (A4)`, `Page    3 rot:  90` */
const runsOf = (told: string): Run[] => {
  const runs: Run[] = []
  for (const [, number, width, height] of told.matchAll(/^Page\s+(\d+) size:\s+([\d.]+) x ([\d.]+) pts/gm)) {
    const turned = new RegExp(`^Page\\s+${number} rot:\\s+(90|270)$`, 'm').test(told)
    const sides = [Number(width) || 1, Number(height) || 1] as const
    const { x, y } = turned ? resolutionFor(sides[1], sides[0]) : resolutionFor(...sides)
    const page = { first: Number(number), last: Number(number), x: x.toFixed(3), y: y.toFixed(3) }
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
