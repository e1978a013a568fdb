import { once } from 'node:events'
import { extname } from 'node:path'
import { startThread } from '#media/thread/thread.ts'

/** Empties the log of the database and, with `rewrite`, drops everything except rows; in a thread. No transaction may be active. */
export const scrubFile = async (file: string, rewrite: boolean): Promise<void> => {
  const script = new URL(`./scrub-file-worker${extname(import.meta.filename)}`, import.meta.url)
  const thread = startThread(script, { name: 'scrub-database', workerData: { file, rewrite }, heapShare: 1 / 16 })
  const [failure] = (await Promise.race([once(thread, 'message'), once(thread, 'exit').then(() => ['the thread has ended'])])) as [
    string | undefined,
  ]
  await thread.terminate()
  if (failure !== undefined) throw new Error(`the database could not be rewritten: ${failure}`)
}
