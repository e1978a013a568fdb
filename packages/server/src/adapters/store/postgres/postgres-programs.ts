import { execFile } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

type Program = 'pg_dump' | 'pg_restore'

export interface FoundProgram {
  path: string
  major: number
}

/** Where distributions keep the programs of several versions beside each other. */
const shelves = [
  ['/usr/lib/postgresql', 'bin'],
  ['/opt/homebrew/opt', 'bin'],
  ['/usr/local/opt', 'bin'],
] as const

/**
 * One that is as new as the server, or newer where there is none: an older one cannot read what it does not know, and the newest one may say what an
 * older server does not understand.
 */
export const findProgram = async (program: Program, serverMajor: number, environment = process.env): Promise<FoundProgram> => {
  const found: FoundProgram[] = []
  for (const folder of [...(environment['PATH'] ?? '').split(delimiter), ...(await versionedFolders())]) {
    const path = join(folder, program)
    const major = await majorOf(path)
    if (major !== undefined) found.push({ path, major })
  }
  const [fitting] = found.filter(({ major }) => major >= serverMajor).toSorted((a, b) => a.major - b.major)
  if (fitting) return fitting
  const newest = Math.max(...found.map(({ major }) => major))
  const there = found.length === 0 ? `there is no ${program} here` : `the newest ${program} here is of version ${newest}`
  throw new Error(`PostgreSQL is of version ${serverMajor}, and ${there}: install postgresql-client-${serverMajor} or newer`)
}

const versionedFolders = async (): Promise<string[]> => {
  const lists = shelves.map(async ([fileStore, inside]) => {
    const names = await readdir(fileStore).catch(() => [])
    return names.filter((name) => /^(postgresql@)?\d+$/.test(name)).map((name) => join(fileStore, name, inside))
  })
  return (await Promise.all(lists)).flat()
}

/** Undefined when it cannot be run. */
const majorOf = async (path: string): Promise<number | undefined> => {
  const said = await run(path, ['--version'], { timeout: 10_000 }).catch(() => undefined)
  const major = /\(PostgreSQL\) (\d+)/.exec(said?.stdout ?? '')?.[1]
  return major === undefined ? undefined : Number(major)
}
