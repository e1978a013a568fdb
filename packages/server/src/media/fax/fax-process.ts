import { openDgram } from '../socket/socket-dgram.ts'
import { openKoffi, preferThisThread } from '../socket/socket-koffi.ts'
import type { Udp } from '../socket/socket.ts'
import { FaxHost } from './fax-host.ts'
import type { FaxCommand, FaxEvent } from './fax-run.ts'
import { loadSpandsp } from './spandsp.ts'

/** Process for some faxes: isolates a library that parses untrusted input from all other calls. */

/** The parent may have ended; then this process ends too. */
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
// A terminal or a service manager signals all processes; the main process lets the faxes finish and then ends this one.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {})
if (host) notify({ tell: 'ready' })
