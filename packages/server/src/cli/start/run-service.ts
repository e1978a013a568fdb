import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { isatty } from 'node:tty'
import { endWithParent } from '#adapters/machine/end-with-parent.ts'
import { restartDelayMs } from '#adapters/machine/watchdog-restarts.ts'
import { CannotStart } from '#settings/cannot-start.ts'
import type { Settings } from '#settings/config.ts'
import { preferMainThread } from '#media/thread/thread.ts'
import { addressText } from '#settings/setting-values.ts'
import { startCommand } from '#places.ts'
import type { Running } from '#wiring/main.ts'
import { fail } from '../terminal/fail.ts'
import { Mistake } from '../terminal/mistake.ts'
import { overBar } from '../terminal/paint.ts'
import type { ServiceManager } from '#adapters/machine/service-manager.ts'

/** Starts the service in this process. From now on signals end it, even while it is still starting; `ending` reports it. */
export const runService = (settings: Settings, ending: AbortController): Promise<Running> => {
  const starting = load(settings, ending.signal).catch(async (error: unknown) => {
    throw await explained(error, settings)
  })
  const drainMs = settings.OFFHOOK_DRAIN_SECONDS * 1000
  closeOnSignal(starting, drainMs, ending)
  if (process.env['npm_command'] === 'exec') endWithParent()
  starting.then((running) => attend(running, settings, ending.signal)).catch(() => {}) // the caller of the start reports its failure
  return starting
}

const attend = async (running: Running, settings: Settings, ending: AbortSignal): Promise<void> => {
  const { startWatchdog } = await import('#adapters/machine/watchdog.ts')
  startWatchdog({ level: settings.OFFHOOK_LOG, numbers: settings.OFFHOOK_LOG_NUMBERS })
  await notifyServiceManager(running, settings.OFFHOOK_DRAIN_SECONDS * 1000, ending)
}

const notifyServiceManager = async (running: Running, drainMs: number, ending: AbortSignal): Promise<void> => {
  const manager = await serviceManager(process.env, running)
  manager?.ready()
  if (ending.aborted) manager?.stopping(drainMs)
  else ending.addEventListener('abort', () => manager?.stopping(drainMs))
}

/** Loading all sources blocks the process for a moment, signals included: those are handled afterwards. */
const load = async (settings: Settings, ending: AbortSignal): Promise<Running> => {
  await nextTurn()
  await sleep(restartDelayMs(process.env, Date.now()), undefined, { signal: ending }).catch(() => process.exit(0))
  const { start } = await import('#wiring/main.ts')
  preferMainThread()
  await nextTurn()
  if (ending.aborted) process.exit(0)
  return start(settings)
}

const explained = async (error: unknown, settings: Settings): Promise<unknown> => {
  if (error instanceof CannotStart) return new Mistake(1, await inUse(error, settings))
  const { host, port } = settings.OFFHOOK_HTTP
  const code = (error as NodeJS.ErrnoException).code
  const address = addressText({ host, port })
  if (code === 'EADDRINUSE') {
    const other = `OFFHOOK_HTTP=${addressText({ host, port: port + 1 })} ${startCommand}`
    return new Mistake(1, `${address} is already in use. Is Offhook running? Set OFFHOOK_HTTP to use another address: ${other}`)
  }
  if (code === 'EACCES' || code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return new Mistake(1, `OFFHOOK_HTTP cannot be used: ${(error as Error).message}`)
  return error
}

/** A second service in the same folder is probably a mistake: the first one is still running. */
const inUse = async ({ cause, message }: CannotStart, { OFFHOOK_DATA }: Settings): Promise<string> => {
  if ((cause as NodeJS.ErrnoException | undefined)?.code !== 'DATABASE_IN_USE') return message
  const { findInstance } = await import('../connection/instance.ts')
  const found = await findInstance([OFFHOOK_DATA])
  const where = found ? ` (process ${found.notes.pid}), at ${found.notes.addresses.http}` : ''
  return `Offhook is running already with the data folder ${OFFHOOK_DATA}${where}.
To run a second one, set OFFHOOK_DATA to another folder, and OFFHOOK_HTTP and OFFHOOK_SIP to other addresses.`
}

/** A terminal and npm both pass on one Ctrl-C; only a later signal counts as a second one. */
const sameSignalMs = 500

/**
 * A signal ends everything in order, a second one immediately. SIGTERM, which means replacement, lets calls end
 * first; a second one then ends them in order. A starting service is ended once it has started.
 */
const closeOnSignal = (starting: Promise<Running>, drainMs: number, ending: AbortController): void => {
  let state: 'running' | 'draining' | 'closing' = 'running'
  let last = -Infinity
  const close = (): void => {
    if (state === 'closing') return
    state = 'closing'
    if (process.stderr.isTTY) console.error(overBar('Offhook ends. Ctrl-C again ends it at once.', process.stderr))
    starting.then((running) => running.close()).then(() => process.exit(0), fail)
  }
  const onSignal = (signal: NodeJS.Signals): void => {
    const before = last
    last = performance.now()
    if (last - before <= sameSignalMs) return
    ending.abort()
    if (state === 'closing') process.exit(1)
    if (state === 'draining' || signal !== 'SIGTERM') return close()
    state = 'draining'
    starting.then((running) => running.drain(drainMs)).then(close, fail)
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, onSignal)
  // Closing a terminal ends its programs; a service without one reloads its files on SIGHUP.
  const hasTerminal = [0, 1, 2].some((descriptor) => isatty(descriptor))
  process.on('SIGHUP', (signal) =>
    hasTerminal
      ? onSignal(signal)
      : void starting.then(
          (running) => running.reload(),
          () => {},
        ),
  )
}

/** systemd or another service manager; its modules are loaded only then. */
export const serviceManager = async (env: NodeJS.ProcessEnv, running: Running): Promise<ServiceManager | undefined> => {
  const { NOTIFY_SOCKET: socket } = env
  if (!socket) return undefined
  try {
    const { openNotifySocket, ServiceManager, watchdogMs } = await import('#adapters/machine/service-manager.ts')
    const { realClock } = await import('#adapters/clock/clocks.ts')
    return new ServiceManager({
      notify: openNotifySocket(socket),
      clock: realClock(),
      watchdogMs: watchdogMs(env, process.pid),
      calls: () => running.calls(),
      answers: () => running.answers(),
    })
  } catch (error) {
    running.deps.log('service_manager_unreachable', { err: error })
    return undefined
  }
}
