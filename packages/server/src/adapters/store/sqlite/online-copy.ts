import { closeSync, fdatasyncSync, openSync } from 'node:fs'
import { backup, DatabaseSync } from 'node:sqlite'

interface CopyOptions {
  signal: AbortSignal
  /** So much is brought to the disk at once: commits of the service wait for the same disk. */
  pacedBytes: number
}

const pagesPerBatch = 64

/**
 * Copies a database while another process goes on writing into it. What is copied is how it was at the beginning: the copy is made within one read
 * transaction, without which SQLite would begin again after every commit of the other process, and never come to an end.
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

/** The backup of a database that cannot be read would be found out when it is needed. */
export const refuseDamaged = (database: DatabaseSync): void => {
  const found = database.prepare('pragma quick_check(1)').get()?.['quick_check']
  if (found !== 'ok') throw new Error(`the database is damaged: ${String(found)}`)
}
