import { createRequire } from 'node:module'
import type { GatewayCommand, GatewayEvent, GatewaySettings } from './webrtc-protocol.ts'
import { WebRtcPeer, type WebRtcLibrary } from './webrtc-peer.ts'

/** Gateway process: isolates native code that talks to browsers from all other calls. */
const settings = JSON.parse(process.argv[2] ?? '{}') as GatewaySettings
const peers = new Map<number, WebRtcPeer>()

/** The parent may have ended; then this process ends too. */
const notify = (event: GatewayEvent): void => void process.send?.(event, undefined, undefined, () => {})

const load = (): WebRtcLibrary | undefined => {
  try {
    return createRequire(import.meta.url)('node-datachannel') as WebRtcLibrary
  } catch (error) {
    notify({ tell: 'unavailable', why: error instanceof Error ? error.message : String(error) })
    return undefined
  }
}

const library = load()

const perform = async (command: GatewayCommand): Promise<{ sdp: string; relayPort: number } | undefined> => {
  if (command.do === 'close') {
    peers.get(command.peer)?.close()
    peers.delete(command.peer)
    return undefined
  }
  if (command.do === 'accept') {
    peers.get(command.peer)?.accept(command.answer)
    return { sdp: '', relayPort: 0 }
  }
  const { peer: id } = command
  if (!library) throw new Error('the library is missing')
  const peer = await WebRtcPeer.open(library, settings, command.settings, {
    connected: () => notify({ tell: 'connected', peer: id }),
    ended: () => notify({ tell: 'ended', peer: id }),
  })
  peers.set(id, peer)
  return { sdp: command.do === 'answer' ? await peer.answer(command.offer) : await peer.offer(), relayPort: peer.relayPort }
}

process.on('message', (command: GatewayCommand) => {
  perform(command).then(
    (done) => done && 'ask' in command && notify({ tell: 'answer', ask: command.ask, ...done }),
    (error: unknown) => {
      peers.get(command.peer)?.close()
      peers.delete(command.peer)
      if ('ask' in command) notify({ tell: 'refused', ask: command.ask, why: error instanceof Error ? error.message : String(error) })
    },
  )
})
process.on('disconnect', () => process.exit())
// A terminal or a service manager signals all processes; the main process lets the calls finish and then ends this one.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {})
if (library) notify({ tell: 'ready' })
