import type { FetchProgress } from './fetch-models.ts'
import type { ModelPackage } from './model-list.ts'

const megabytes = (bytes: number): string => `${Math.round(bytes / 1e6)} MB`

/** A growing line on a terminal; one line per package in a file. */
export const progressBar = (terminal: Terminal): FetchProgress => (terminal.isTTY === true ? growingBar(terminal) : plainLines(terminal))

const growingBar = (terminal: Terminal): FetchProgress => {
  const fetched = new Map<string, number>()
  let all = 0
  let drawn = ''
  const draw = (): void => {
    const bytes = [...fetched.values()].reduce((sum, part) => sum + part, 0)
    const line = barLine(terminal, { title: 'Speech models', share: bytes / all, says: `${megabytes(bytes)} of ${megabytes(all)}` })
    // The cursor stays at the start of the line, so log lines overwrite the bar.
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

/** Usually standard error. */
export interface Terminal {
  isTTY?: boolean
  /** Width in characters. */
  columns?: number
  write(text: string): unknown
}

const maxLength = 30
const defaultColumns = 80

/** `Title [==== ] says`, never wider than the terminal: a wrapped line cannot be overwritten. */
export const barLine = ({ columns }: Terminal, { title, share, says }: { title: string; share: number; says: string }): string => {
  const room = (columns || defaultColumns) - 1
  const length = Math.max(1, Math.min(maxLength, room - title.length - says.length - 4))
  const full = Math.min(length, Math.floor(length * share))
  return `${title} [${'='.repeat(full)}${' '.repeat(length - full)}] ${says}`.slice(0, room)
}
