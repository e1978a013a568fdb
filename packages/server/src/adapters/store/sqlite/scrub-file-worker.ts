import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'

const { file, rewrite } = workerData as { file: string; rewrite: boolean }

const scrub = (): string | undefined => {
  const database = new DatabaseSync(file, { timeout: 30_000 })
  try {
    if (rewrite) database.exec('vacuum')
    const checkpoint = database.prepare('pragma wal_checkpoint(truncate)').get()
    return checkpoint?.['busy'] === 0 ? undefined : 'its log is being read'
  } catch (error) {
    return (error as Error).message
  } finally {
    database.close()
  }
}

parentPort?.postMessage(scrub(), [])
