import { AsyncLocalStorage } from 'node:async_hooks'
import { mkdirSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Store } from '#core/kernel/ports/store/index.ts'
import { Checkpoints, openLogOf } from './sqlite/checkpoints.ts'
import { GroupCommit } from './sqlite/group-commit.ts'
import { LongQuestions, ReadThreads } from './long-reads/long-questions.ts'
import { scrubFile } from './sqlite/scrub-file.ts'
import { migrate } from './migrate.ts'
import type { RawDatabase } from './raw-database.ts'
import type { Schema } from './schema/index.ts'
import { claimFile, createPrivate } from './sqlite/single-process.ts'
import { askThread, sqliteKysely } from './sqlite/sqlite-driver.ts'
import { tables } from './tables/index.ts'

/** Windows that a deferrable transaction waits. */
const patientWindows = 16

/** Key for queries of the installation itself. */
const nobody = ''

/** SQLite's own default. */
const defaultLogPages = 1000

/** Rewriting this many bytes takes a second or two, during which writes are blocked. */
const maxScrubbedBytes = 256 * 1024 * 1024

interface SqliteOptions {
  commitWindowMs?: number
  maxScrubbedBytes?: number
}

interface SqliteStore extends Store {
  readonly raw: RawDatabase
}

/**
 * The default store: one file that belongs to one process. One connection writes, another reads, so that a reader never sees uncommitted
 * data. Acknowledged writes survive a power cut: a commit writes to the log without waiting for the disk (WAL, synchronous NORMAL), and is
 * answered when the log was flushed, which blocks no other caller.
 */
export const sqliteStore = async (file: string, options: SqliteOptions = {}): Promise<SqliteStore> => {
  const { commitWindowMs = 3 } = options
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const giveUpFile = claimFile(file)
  const { writer, writing, reader, reading, longReads } = await open(file).catch((error: unknown) => {
    giveUpFile()
    throw error
  })

  const log = openLogOf(file)
  const checkpoints = new LongQuestions({ file, inBackground: false }, 'checkpoints')
  const commits = new GroupCommit({
    database: writer,
    flush: () => log.flush(),
    checkpoints: new Checkpoints({
      log,
      ask: (statement) => checkpoints.ask(statement),
      isBusy: () => checkpoints.isBusy,
      inTheWay: (yes) => writer.exec(`pragma wal_autocheckpoint = ${yes ? defaultLogPages : 0}`),
    }),
    windowMs: commitWindowMs,
    timeoutMs: commitWindowMs * patientWindows,
  })
  const inside = new AsyncLocalStorage<true>()
  const writeTables = tables(writing, 'sqlite')
  const write = <T>(work: () => Promise<T>, patient?: AbortSignal): Promise<T> => {
    if (inside.getStore()) throw new Error('store.write inside store.write would wait for itself')
    return commits.write(() => inside.run(true, work), patient)
  }
  return {
    read: tables(reading, 'sqlite'),
    write: (work, patient) => write(() => work(writeTables), patient),
    raw: {
      dialect: 'sqlite',
      read: async (query) => (await query.execute(reading)).rows,
      ask: (query) => askThread(longReads, nobody, query.compile(reading)),
      write: (work) => write(() => work(writing)),
      async scrub() {
        const rewrite = (await stat(file)).size <= (options.maxScrubbedBytes ?? maxScrubbedBytes)
        await commits.alone(() => scrubFile(file, rewrite))
        return rewrite
      },
    },
    reach: undefined,
    longReads,
    async close() {
      await commits.drain()
      await Promise.all([longReads.close(), checkpoints.close()])
      reader.close()
      writer.close()
      log.close()
      giveUpFile()
    },
  }
}

const open = async (file: string) => {
  createPrivate(file)
  const writer = openDatabase(file)
  const writing = sqliteKysely<Schema>(writer)
  await migrate(writing, 'sqlite').catch((error: unknown) => {
    writer.close()
    throw error
  })
  writer.exec('pragma wal_autocheckpoint = 0; pragma secure_delete = on')
  const reader = openDatabase(file, 'pragma query_only = on')
  const longReads = new ReadThreads(file)
  return { writer, writing, reader, longReads, reading: sqliteKysely<Schema>(reader, longReads) }
}

const openDatabase = (file: string, ...pragmas: string[]): DatabaseSync => {
  const database = new DatabaseSync(file, { enableForeignKeyConstraints: true, timeout: 5_000 })
  for (const pragma of ['pragma journal_mode = wal', 'pragma synchronous = normal', ...pragmas]) database.exec(pragma)
  return database
}
