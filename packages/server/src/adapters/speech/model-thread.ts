import { createRequire, flushCompileCache } from 'node:module'
import type { Worker } from 'node:worker_threads'
import { startThread } from '#media/thread/thread.ts'

/** A thread that computes with models. It is asked to end and never terminated: in the middle of a model's work that aborts the process. */
export interface ModelThread {
  readonly worker: Worker
  /** Resolves when it has ended, with what it died of. */
  readonly ended: Promise<Error | undefined>
}

const running = new Set<Worker>()

export const startModelThread = (script: URL, name: string, settings: object): ModelThread => {
  // A model is outside of the heap, but the words it knows are inside.
  const worker = startThread(script, { name, workerData: settings, heapShare: 1 })
  if (running.size === 0) process.on('exit', proceedWithout)
  running.add(worker)
  let reason: Error | undefined
  worker.on('error', (error: unknown) => (reason = error instanceof Error ? error : new Error(String(error))))
  const ended = new Promise<Error | undefined>((resolve) => {
    worker.once('exit', () => {
      running.delete(worker)
      if (running.size === 0) process.off('exit', proceedWithout)
      resolve(reason)
    })
  })
  return { worker, ended }
}

/** Node would terminate them before the process ends; the system does it with the process. */
const proceedWithout = (code: number): void => {
  try {
    flushCompileCache()
    const koffi = createRequire(import.meta.url)('koffi') as typeof import('koffi')
    koffi.load(null).func('void _exit(int)')(code)
  } catch {
    // Without koffi the process ends a while later, perhaps with another code.
  }
}
