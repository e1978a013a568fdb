import { fork } from 'node:child_process'
import { extname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Port } from '@offhook/agent/channel.ts'
import { processPort, threadPort } from '@offhook/agent/ports.ts'
import { startThread } from '#media/thread/thread.ts'

/** The running agent, in a thread or a process. */
export interface RunningAgent {
  port: Port
  /** Resolves once, when it has ended; with the error that ended it. */
  ended: Promise<Error | undefined>
  /** Immediately. */
  kill(): void
}

const script = join(import.meta.dirname, `agent-program${extname(import.meta.filename)}`)

/** Share of the main thread's heap: the history of many calls, and responses being read. */
const heapShare = 0.5
const processMegabytes = 512

export const runAsThread = (): RunningAgent => {
  const worker = startThread(pathToFileURL(script), { name: 'agent', workerData: {}, heapShare })
  let reason: Error | undefined
  worker.on('error', (error: unknown) => (reason = error instanceof Error ? error : new Error(String(error))))
  return {
    port: threadPort(worker),
    ended: new Promise((resolve) => worker.once('exit', () => resolve(reason))),
    kill: () => void worker.terminate(),
  }
}

/** It gets none of our settings: it requests what it needs. */
const passedOn = ['PATH', 'LANG', 'TZ', 'NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR']

export const runAsProcess = (): RunningAgent => {
  const env = Object.fromEntries(passedOn.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])))
  const child = fork(script, { env, serialization: 'advanced', execArgv: [`--max-old-space-size=${processMegabytes}`] })
  const ended = Promise.withResolvers<Error | undefined>()
  child.once('exit', (code, signal) => ended.resolve(code === 0 ? undefined : new Error(`it ended with ${signal ?? code}`)))
  // A process that failed to start does not emit `exit`.
  child.on('error', (error) => child.pid === undefined && ended.resolve(error))
  return {
    port: processPort(child),
    ended: ended.promise,
    kill: () => void child.kill('SIGKILL'),
  }
}
