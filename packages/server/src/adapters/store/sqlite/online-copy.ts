import { closeSync, fdatasyncSync, openSync } from 'node:fs'
import { backup, DatabaseSync } from 'node:sqlite'

interface CopyOptions {
  signal: AbortSignal
  /** Bytes flushed to disk together: commits of the service wait for the same disk. */
  pacedBytes: number
}

const pagesPerBatch = 64

/**
 * Copies a database while another process writes to it. The copy is the state at the start: it is made within one read transaction, without
 * which SQLite would restart after every commit of the other process and never finish.
 */
export const copyOnline = async (file: string, to: string, { signal, pacedBytes }: CopyOptions): Promise<void> => {
  const source = new DatabaseSync(file, { readOnly: true, timeout: 5_000 })
  try {
    source.exec('begin')
    refuseDamaged(source)
    const pageBytes = Number(source.prepare('pragma page_size').get()?.['page_size'])
    const disk = openSync(to, 'wx', 0o600)
    let unsynced = 0
    const progress = (): void => {
      signal.throwIfAborted()
      unsynced += pagesPerBatch * pageBytes
      if (unsynced < pacedBytes) return
      unsynced = 0
      fdatasyncSync(disk)
    }
    try {
      await backup(source, to, { rate: pagesPerBatch, progress })
    } finally {
      closeSync(disk)
    }
    signal.throwIfAborted()
  } finally {
    source.close()
  }
}

/** Otherwise a backup of a damaged database would only be discovered when it is needed. */
export const refuseDamaged = (database: DatabaseSync): void => {
  const found = database.prepare('pragma quick_check(1)').get()?.['quick_check']
  if (found !== 'ok') throw new Error(`the database is damaged: ${String(found)}`)
}
