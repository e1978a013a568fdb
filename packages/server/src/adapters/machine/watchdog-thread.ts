import { Session, type Debugger } from 'node:inspector'
import { workerData } from 'node:worker_threads'
import { openLog } from '#log/log.ts'
import { reportMemory } from '#media/thread/thread.ts'
import { recentRestarts, restartsVariable } from './watchdog-restarts.ts'
import type { WatchdogSettings } from './watchdog.ts'

/** Own turns without one of the main thread. Not a time: in a suspended process this thread stands still, too. */
const maxStillTurns = 10
const turnMs = 1_000
/** Milliseconds for the stack, and for the restart. */
const patienceMs = 2_000
const maxFrames = 30

const { turns: memory, ...logging } = workerData as WatchdogSettings
const turns = new Int32Array(memory)
const log = openLog(logging)
reportMemory()

let seen = -1
let still = 0

setInterval(() => {
  const now = Atomics.load(turns, 0)
  still = now === seen ? still + 1 : 0
  seen = now
  const isDebugged = Atomics.load(turns, 1) !== 0
  if (still === maxStillTurns && !isDebugged) void restart()
}, turnMs)

/** The main thread replaces the program of its process: process id, parent and terminal stay. */
const restart = async (): Promise<void> => {
  const session = new Session()
  session.connectToMainThread()
  const frames = await Promise.race([pausedAt(session), later()])
  log('main_thread_stuck', {
    seconds: (maxStillTurns * turnMs) / 1000,
    stack: frames?.slice(0, maxFrames).map(line).join('\n') ?? 'not in JavaScript',
  })
  const [top] = frames ?? []
  if (top) session.post('Debugger.evaluateOnCallFrame', { callFrameId: top.callFrameId, expression: replaceProgram() })
  await later()
  // It hangs in a system call. A signal without a core file: the memory holds secrets.
  process.kill(process.pid, 'SIGALRM')
}

const later = (): Promise<undefined> => new Promise((resolve) => void setTimeout(() => resolve(undefined), patienceMs))

const pausedAt = (session: Session): Promise<Debugger.CallFrame[]> =>
  new Promise((resolve) => {
    session.once('Debugger.paused', ({ params }) => resolve(params.callFrames))
    session.post('Debugger.enable')
    session.post('Debugger.pause')
  })

const line = ({ functionName, url, location }: Debugger.CallFrame): string =>
  `at ${functionName || '<anonymous>'} (${url}:${location.lineNumber + 1}:${(location.columnNumber ?? 0) + 1})`

const replaceProgram = (): string => {
  const restarts = [...recentRestarts(process.env, Date.now()), Date.now()].join()
  const env = `{ ...process.env, ${restartsVariable}: '${restarts}' }`
  return `process.execve(process.execPath, [process.execPath, ...process.execArgv, ...process.argv.slice(1)], ${env})`
}
