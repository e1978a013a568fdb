import { AsyncLocalStorage } from 'node:async_hooks'
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Store } from '#core/kernel/ports/store/index.ts'
import { Checkpoints } from './sqlite/checkpoints.ts'
import { GroupCommit } from './sqlite/group-commit.ts'
import { openLogOf } from './sqlite/write-ahead-log.ts'
import { LongQuestions } from './sqlite/long-questions.ts'
import { migrate } from './migrate.ts'
import type { Schema } from './schema/index.ts'
import { claimFile, createPrivate } from './sqlite/single-process.ts'
import { sqliteKysely } from './sqlite/sqlite-driver.ts'
import { tables } from './tables/index.ts'

/** How many windows a transaction that may wait does. */
const patientWindows = 16

/** SQLite's own default. */
const defaultLogPages = 1000

/**
 * The default store: one file that belongs to one process. One connection writes, another reads, so that a reader never sees what is not
 * yet committed. What was acknowledged survives a power cut: a commit writes to the log without waiting for the disk (WAL, synchronous
 * NORMAL), and is answered when the log was flushed, which keeps no one else waiting.
 */
export const sqliteStore = async (file: string, { commitWindowMs = 3 }: { commitWindowMs?: number } = {}): Promise<Store> => {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const giveUpFile = claimFile(file)
  const { writer, writing, reader, reading, long } = await open(file).catch((error: unknown) => {
    giveUpFile()
    throw error
  })

  const log = openLogOf(file)
  const commits = new GroupCommit({
    database: writer,
    flush: () => log.flush(),
    checkpoints: new Checkpoints({
      log,
      ask: (statement) => long.ask(statement),
      isBusy: () => long.isBusy,
      inTheWay: (yes) => writer.exec(`pragma wal_autocheckpoint = ${yes ? defaultLogPages : 0}`),
    }),
    windowMs: commitWindowMs,
    timeoutMs: commitWindowMs * patientWindows,
  })
  const inside = new AsyncLocalStorage<true>()
  const writeTables = tables(writing, 'sqlite')
  return {
    read: tables(reading, 'sqlite'),
    write: (work, patient) => {
      if (inside.getStore()) throw new Error('store.write inside store.write would wait for itself')
      return commits.write(() => inside.run(true, () => work(writeTables)), patient)
    },
    reach: undefined,
    async close() {
      await commits.drain()
      await long.close()
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
  writer.exec('pragma wal_autocheckpoint = 0')
  const reader = openDatabase(file, 'pragma query_only = on')
  const long = new LongQuestions(file)
  return { writer, writing, reader, long, reading: sqliteKysely<Schema>(reader, long) }
}

const openDatabase = (file: string, ...pragmas: string[]): DatabaseSync => {
  const database = new DatabaseSync(file, { enableForeignKeyConstraints: true, timeout: 5_000 })
  for (const pragma of ['pragma journal_mode = wal', 'pragma synchronous = normal', ...pragmas]) database.exec(pragma)
  return database
}
