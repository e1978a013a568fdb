import type { ServiceManager } from '#adapters/machine/service-manager.ts'
import type { Running } from '#wiring/main.ts'

/** systemd, or whoever else wants to hear of us; its parts are loaded only then. */
export const serviceManager = async (env: NodeJS.ProcessEnv, running: Running): Promise<ServiceManager | undefined> => {
  const { NOTIFY_SOCKET: socket } = env
  if (!socket) return undefined
  try {
    const { ServiceManager, watchdogMs } = await import('#adapters/machine/service-manager.ts')
    const { openNotifySocket } = await import('#adapters/machine/notify-socket.ts')
    const { realClock } = await import('#adapters/clock/real-clock.ts')
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
