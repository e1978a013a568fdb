import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after } from 'node:test'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { findProgram } from '#adapters/store/postgres/postgres-dump.ts'
import type { Blobs } from '#core/kernel/ports/files.ts'
import { freshPostgres } from '../store/databases.ts'
import { createDatabase, debianPrograms, startPostgres, type Postgres } from '../store/postgres.ts'

/** Tokens found in these bytes, case-insensitively. */
const found = (bytes: Buffer, tokens: readonly string[]): string[] => {
  const text = bytes.toString('latin1').toLowerCase()
  return tokens.filter((token) => text.includes(token))
}

const unique = (tokens: readonly string[]): string[] => [...new Set(tokens)].toSorted()

/** Searches the bytes of every file of the folder, like `strings`. */
const inFiles = async (folder: string, tokens: readonly string[]): Promise<string[]> => {
  const remains: string[] = []
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }))
    if (entry.isFile())
      remains.push(...found(await bytesOf(join(entry.parentPath, entry.name)), tokens), ...found(Buffer.from(entry.name), tokens))
  return unique(remains)
}

/** PostgreSQL removes files such as `pg_internal.init` at any time: what is gone holds nothing. */
const bytesOf = (file: string): Promise<Buffer> =>
  readFile(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return Buffer.alloc(0)
    throw error
  })

/** Searches the output of pg_dump; undefined without one that fits the server. */
const inPgDump = async (url: string, tokens: readonly string[]): Promise<string[] | undefined> => {
  const major = await withClient(url, async (client) => {
    const { rows } = await client.query<{ major: number }>(`select current_setting('server_version_num')::int / 10000 as major`)
    return rows[0]?.major ?? 0
  })
  const program = await findProgram('pg_dump', major).catch(() => undefined)
  if (!program) return undefined
  const { stdout } = await promisify(execFile)(program.path, [`--dbname=${url}`], { encoding: 'buffer', maxBuffer: 2 ** 28 })
  return unique(found(stdout, tokens))
}

/** Searches every row of every table, which is the content of a dump. */
const inRows = async (url: string, tokens: readonly string[]): Promise<string[]> =>
  withClient(url, async (client) => {
    const remains: string[] = []
    const { rows } = await client.query<{ name: string }>(
      `select format('%I', relname) as name from pg_class where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace`,
    )
    for (const { name } of rows) {
      const all = await client.query<{ row: string }>(`select one::text as row from ${name} as one`)
      remains.push(...found(Buffer.from(all.rows.map(({ row }) => row).join('\n')), tokens))
    }
    return unique(remains)
  })

/** Searches the bytes of this database's files after a checkpoint. Excludes the log (WAL). */
const inPages = async (url: string, tokens: readonly string[]): Promise<string[]> => {
  const folder = await withClient(url, async (client) => {
    await client.query('checkpoint')
    const { rows } = await client.query<{ folder: string }>(
      `select current_setting('data_directory') || '/base/' || oid as folder from pg_database where datname = current_database()`,
    )
    return rows[0]?.folder ?? ''
  })
  return inFiles(folder, tokens)
}

let dumpable: Promise<Postgres> | undefined
after(async () => (await dumpable)?.stop())

/** Empty database on a server that this machine's pg_dump can dump, if there is one. */
export const dumpablePostgres = async (): Promise<string> => {
  const folders = await debianPrograms()
  if (!folders.some((folder) => existsSync(join(folder, 'pg_dump')))) return freshPostgres()
  return createDatabase((await (dumpable ??= startPostgres(debianPrograms))).url)
}

/** Searches everything: files of the data folder, rows, dump and pages of PostgreSQL. */
export const remainsIn = async (data: string, url: string | undefined, tokens: readonly string[]): Promise<string[]> => {
  const inDatabase = async (of: string): Promise<string[]> => [
    ...(await inRows(of, tokens)),
    ...((await inPgDump(of, tokens)) ?? []),
    ...(await inPages(of, tokens)),
  ]
  return unique([...(await inFiles(data, tokens)), ...(url === undefined ? [] : await inDatabase(url))])
}

/** Makes PostgreSQL sample the values, as autovacuum does after a while. */
export const takeSamples = (url: string): Promise<unknown> => withClient(url, (client) => client.query('analyze'))

const withClient = async <T>(url: string, work: (client: Client) => Promise<T>): Promise<T> => {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** Searches every object of a store. */
export const inBlobs = async (blobs: Pick<Blobs, 'list' | 'open'>, tokens: readonly string[]): Promise<string[]> => {
  const remains: string[] = []
  for await (const { key } of blobs.list('')) {
    const pieces: Uint8Array[] = []
    for await (const piece of (await blobs.open(key))?.content ?? []) pieces.push(piece)
    remains.push(...found(Buffer.concat(pieces), tokens), ...found(Buffer.from(key), tokens))
  }
  return unique(remains)
}
