import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { parseSdp } from '@offhook/sip/sdp/parse-sdp.ts'
import type { FaxStream } from '#media/fax/engine.ts'
import { dice } from '../chance/dice.ts'
import { askRtpengine } from './rtpengine-control.ts'
import type { Scope } from '../machine/temporary-folder.ts'

/** T.38 path to a fax machine that uses audio, or T.38 itself. */
export interface T38Way {
  /** SDP for the far end, given the machine's own audio SDP. */
  describe(stream: FaxStream, audio: string): Promise<string>
  /** Applies the far end's SDP: the machine uses that path from now on. */
  connect(stream: FaxStream, theirs: string): Promise<void>
}

const host = '127.0.0.1'

export const describeMedia = (...lines: readonly string[]): string =>
  ['v=0', `o=- 1 1 IN IP4 ${host}`, 's=-', `c=IN IP4 ${host}`, 't=0 0', ...lines, ''].join('\r\n')

/** Remote media address of an SDP. */
export const remoteIn = (sdp: string): { remote: { address: string; port: number }; alsoFrom: [] } => {
  const media = parseSdp(sdp).media.find(({ port }) => port > 0)
  if (!media?.connection) throw new Error(`no connection address: ${sdp}`)
  return { remote: { address: media.connection.address, port: media.port }, alsoFrom: [] }
}

/** Gateway: the machine stays in audio, and rtpengine converts it to T.38. */
export const gatewayWay = (controlPort: number): T38Way => {
  const call = { 'call-id': `fax-${controlPort}`, 'from-tag': 'machine' }
  return {
    describe: (_stream, audio) => askRtpengine(controlPort, { command: 'offer', ...call, sdp: audio, 'T.38': ['force'] }),
    async connect(stream, theirs) {
      const audio = await askRtpengine(controlPort, { command: 'answer', ...call, 'to-tag': 'service', sdp: theirs })
      stream.audio({ ...remoteIn(audio), codec: 'PCMA' })
    },
  }
}

export interface LossyWay extends T38Way {
  /** Lost packets in both directions. */
  lost(): number
}

/** Direct path with every tenth packet lost in both directions. */
export const lossyWay = async (t: Scope, seed: number): Promise<LossyWay> => {
  const [outside, inside] = await Promise.all([openSocket(t), openSocket(t)])
  const roll = dice(seed)
  let lost = 0
  let service = 0
  let machine = 0
  const pass = (from: Socket, to: Socket, port: () => number): void => {
    from.on('message', (packet) => {
      if (roll(10) === 0) lost++
      else if (port() > 0) to.send(packet, port(), host)
    })
  }
  pass(outside, inside, () => machine)
  pass(inside, outside, () => service)
  return {
    async describe() {
      return describeMedia(`m=image ${outside.address().port} udptl t38`, 'a=T38FaxVersion:0', 'a=T38FaxUdpEC:t38UDPRedundancy')
    },
    async connect(stream, theirs) {
      machine = stream.localPort
      service = remoteIn(theirs).remote.port
      stream.t38({ remote: { address: host, port: inside.address().port }, alsoFrom: [], maxDatagram: 400 })
    },
    lost: () => lost,
  }
}

const openSocket = async (t: Scope): Promise<Socket> => {
  const socket = createSocket('udp4')
  t.after(() => socket.close())
  socket.bind(0, host)
  await once(socket, 'listening')
  return socket
}
