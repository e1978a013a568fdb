import { parentPort, workerData } from 'node:worker_threads'
import { reportMemory, runBehindSignalling } from '#media/thread/thread.ts'
import { Engines } from './engines.ts'
import type { RecogniserCommand, Heard, RecogniserReport, WorkerSettings } from './recogniser-thread.ts'

/** Recognisers compute without a pause for hundreds of milliseconds, so they need a thread of their own. */
const port = parentPort
if (!port) throw new Error('this is a worker')
reportMemory()
runBehindSignalling()
const engines = new Engines(workerData as WorkerSettings)
let current = new AbortController()

const notify = (report: RecogniserReport): void => port.postMessage(report)

const work = async (command: Extract<RecogniserCommand, { do: 'hear' | 'load' }>): Promise<void> => {
  current = new AbortController()
  const { signal } = current
  try {
    const heard: Heard | undefined =
      command.do === 'hear'
        ? await engines.hear(command.task, signal)
        : await engines.load(command.engine, command.folder).then(() => undefined)
    notify({ tell: 'done', ...(heard && { heard }) })
  } catch (error) {
    notify({ tell: 'failed', message: error instanceof Error ? error.message : String(error), cancelled: signal.aborted })
  }
}

port.on('message', (command: RecogniserCommand) => {
  if (command.do === 'cancel') return current.abort()
  if (command.do === 'end') return port.close()
  void work(command)
})
