import { spawn, execFile } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { readdir } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { sql, type Kysely } from 'kysely'
import type { Schema } from '../schema/index.ts'

/**
 * Connection for PostgreSQL's programs. The password is in their environment and not in their arguments, which all users of the machine can
 * see.
 */
const connectionOf = (url: string): { argument: string; environment: NodeJS.ProcessEnv } => {
  const address = new URL(url)
  const password = address.searchParams.get('password') ?? decodeURIComponent(address.password)
  address.password = ''
  address.searchParams.delete('password')
  // Parameters that our driver knows and PostgreSQL's programs do not.
  if (address.searchParams.get('sslmode') === 'no-verify') address.searchParams.set('sslmode', 'require')
  address.searchParams.delete('uselibpqcompat')
  return {
    argument: `--dbname=${address.href}`,
    environment: { ...process.env, LC_ALL: 'C', ...(password !== '' && { PGPASSWORD: password }) },
  }
}

interface DumpParts {
  program: string
  url: string
  signal: AbortSignal
}

/** A consistent snapshot of the whole database in PostgreSQL's own format, without owners and privileges. */
export async function* dumped({ program, url, signal }: DumpParts): AsyncGenerator<Uint8Array, void, undefined> {
  const { argument, environment } = connectionOf(url)
  const args = ['--format=custom', '--no-owner', '--no-privileges', '--no-password', '--lock-wait-timeout=30s', argument]
  const child = spawn(program, args, { env: environment, stdio: ['ignore', 'pipe', 'pipe'], signal })
  const ended = once(child, 'exit') as Promise<[number | null]>
  ended.catch(() => {}) // awaited below
  const complaint = text(child.stderr)
  try {
    yield* child.stdout as AsyncIterable<Uint8Array>
    const [code] = await ended
    if (code !== 0) throw new Error(`pg_dump has failed: ${(await complaint).trim()}`)
  } finally {
    child.kill()
  }
}

/** All or nothing. */
export const restoreDump = async ({ program, url, signal }: DumpParts, file: string): Promise<void> => {
  const { argument, environment } = connectionOf(url)
  const args = ['--single-transaction', '--exit-on-error', '--no-owner', '--no-privileges', '--no-password', argument, file]
  const child = spawn(program, args, { env: environment, stdio: ['ignore', 'ignore', 'pipe'], signal })
  const [complaint, [code]] = await Promise.all([text(child.stderr), once(child, 'exit') as Promise<[number | null]>])
  if (code !== 0) throw new Error(`pg_restore has failed: ${complaint.trim()}`)
}

const run = promisify(execFile)

type Program = 'pg_dump' | 'pg_restore'

export interface FoundProgram {
  path: string
  major: number
}

/** Folders in which distributions install several versions. */
const shelves = [
  ['/usr/lib/postgresql', 'bin'],
  ['/opt/homebrew/opt', 'bin'],
  ['/usr/local/opt', 'bin'],
] as const

/**
 * The program of the server's version, otherwise a newer one: an older one cannot read new features, and the newest one may write what an
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
  const lists = shelves.map(async ([folder, inside]) => {
    const names = await readdir(folder).catch(() => [])
    return names.filter((name) => /^(postgresql@)?\d+$/.test(name)).map((name) => join(folder, name, inside))
  })
  return (await Promise.all(lists)).flat()
}

/** Undefined when it cannot be run. */
const majorOf = async (path: string): Promise<number | undefined> => {
  const said = await run(path, ['--version'], { timeout: 10_000 }).catch(() => undefined)
  const major = /\(PostgreSQL\) (\d+)/.exec(said?.stdout ?? '')?.[1]
  return major === undefined ? undefined : Number(major)
}

/** Major version. */
export const serverMajor = async (db: Kysely<Schema>): Promise<number> => {
  const { rows } = await sql<{ number: string }>`select current_setting('server_version_num') as number`.execute(db)
  return Math.floor(Number(rows[0]?.number) / 10_000)
}

/** A table or similar object in the database that belongs to no extension; undefined: it is empty. */
export const anyTable = async (db: Kysely<Schema>): Promise<string | undefined> => {
  const { rows } = await sql<{ name: string }>`
    select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname <> 'information_schema' and n.nspname not like 'pg\\_%' and c.relkind in ('r', 'p', 'v', 'm', 'S', 'f')
      and not exists (select 1 from pg_depend d where d.objid = c.oid and d.deptype = 'e')
    order by 1 limit 1`.execute(db)
  return rows[0]?.name
}
