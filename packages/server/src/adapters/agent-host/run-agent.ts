import { fork } from 'node:child_process'
import { extname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Port } from '@offhook/agent/channel.ts'
import { processPort, threadPort } from '@offhook/agent/ports.ts'
import { startThread } from '#media/thread/thread.ts'

/** The agent at work, wherever that is. */
export interface RunningAgent {
  port: Port
  /** Resolves once, when it has ended; with what it died of. */
  ended: Promise<Error | undefined>
  /** At once. */
  kill(): void
}

const script = join(import.meta.dirname, `agent-program${extname(import.meta.filename)}`)

/** Of what the main thread may have: the history of many calls, and answers that are just being read. */
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

/** It is given nothing of our settings: whatever it needs it asks for. */
const passedOn = ['PATH', 'LANG', 'TZ', 'NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR']

export const runAsProcess = (): RunningAgent => {
  const env = Object.fromEntries(passedOn.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])))
  const child = fork(script, { env, serialization: 'advanced', execArgv: [`--max-old-space-size=${processMegabytes}`] })
  const ended = Promise.withResolvers<Error | undefined>()
  child.once('exit', (code, signal) => ended.resolve(code === 0 ? undefined : new Error(`it ended with ${signal ?? code}`)))
  // A process that could not be started does not exit.
  child.on('error', (error) => child.pid === undefined && ended.resolve(error))
  return {
    port: processPort(child),
    ended: ended.promise,
    kill: () => void child.kill('SIGKILL'),
  }
}
