import { openDgram } from '../socket/socket-dgram.ts'
import { openKoffi, preferThisThread } from '../socket/socket-koffi.ts'
import type { Udp } from '../socket/socket.ts'
import { FaxHost } from './fax-host.ts'
import type { FaxCommand, FaxEvent } from './fax-protocol.ts'
import { loadSpandsp } from './spandsp.ts'

/** The process of some faxes: a library that reads what strangers send is kept away from all other calls. */

/** The parent may be gone by now; then so are we. */
const notify = (event: FaxEvent): void => void process.send?.(event, undefined, undefined, () => {})

const openUdp = (): Udp => {
  try {
    const udp = openKoffi()
    preferThisThread()
    return udp
  } catch {
    return openDgram()
  }
}

const openHost = (): FaxHost | undefined => {
  try {
    return new FaxHost({ library: loadSpandsp(), udp: openUdp(), notify, now: () => performance.now() })
  } catch (error) {
    notify({ tell: 'unavailable', why: error instanceof Error ? error.message : String(error) })
    return undefined
  }
}

const host = openHost()
let running = false

const turn = (): void => {
  running = host !== undefined && !host.idle
  if (host && running) setTimeout(turn, host.pass())
}

process.on('message', (command: FaxCommand) => {
  void host?.perform(command).then(() => running || turn())
})
process.on('disconnect', () => process.exit())
// A terminal, or what stops the service, signals all of its processes; the main process lets the faxes come to their end and ends this one then.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {})
if (host) notify({ tell: 'ready' })
