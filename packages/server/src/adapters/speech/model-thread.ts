import { createRequire, flushCompileCache } from 'node:module'
import type { Worker } from 'node:worker_threads'
import { startThread } from '#media/thread/thread.ts'

/** A thread that runs models. It is asked to end and never terminated: terminating it while a model runs aborts the process. */
export interface ModelThread {
  readonly worker: Worker
  /** Resolves when it has ended, with the error that ended it, if any. */
  readonly ended: Promise<Error | undefined>
}

const running = new Set<Worker>()

export const startModelThread = (script: URL, name: string, settings: object): ModelThread => {
  // The model is outside the heap, but its vocabulary is inside.
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

/** Node would terminate the threads before the process ends; the operating system ends them with the process. */
const proceedWithout = (code: number): void => {
  try {
    flushCompileCache()
    const koffi = createRequire(import.meta.url)('koffi') as typeof import('koffi')
    koffi.load(null).func('void _exit(int)')(code)
  } catch {
    // Without koffi the process ends a little later, perhaps with another exit code.
  }
}
