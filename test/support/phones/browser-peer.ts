import { createRequire } from 'node:module'
import { after, type TestContext } from 'node:test'
import { DtmfReceiver } from '#media/dtmf/dtmf-events.ts'
import { G711 } from '#media/codec/g711.ts'
import { parseRtp, RtpPacket, writeRtpHeader } from '#media/rtp/rtp.ts'
import { within } from '../machine/within.ts'
import { toneLevel } from '../sound/spectrum.ts'

const library = createRequire(import.meta.url)('node-datachannel') as typeof import('node-datachannel')
after(() => library.cleanup())

/**
 * Without candidates the offerer has to start. This library cannot be the offerer and be reached before the answer: it starts the handshake before it
 * has read the expected certificate. Browsers wait.
 */
export const withoutAddresses = (offer: string): string => offer.replaceAll(/^a=(candidate|end-of-candidates).*\r\n/gm, '')

/** Peer connection of a browser with one audio track. */
export const openBrowser = (t: TestContext, formats: readonly { payloadType: number; encoding: string }[]) => {
  const connection = new library.PeerConnection('browser', { iceServers: [], disableAutoNegotiation: true, bindAddress: '127.0.0.1' })
  t.after(() => connection.close())
  const audio = new library.Audio('0', 'SendRecv')
  for (const { payloadType, encoding } of formats) audio.addAudioCodec(payloadType, encoding)
  audio.addSSRC(4711, 'browser', 'stream', 'track')
  const track = connection.addTrack(audio)
  const codec = new G711('PCMA')
  const heard: number[] = []
  const keys: string[] = []
  const keyReader = new DtmfReceiver()
  const keyType = formats.find(({ encoding }) => encoding.startsWith('telephone-event'))?.payloadType
  const packet = new RtpPacket()
  const samples = new Int16Array(480)
  let noticed = (): void => {}
  track.onMessage((bytes) => {
    if (!parseRtp(bytes, bytes.length, packet)) return
    if (packet.payloadType === keyType) {
      const key = keyReader.receive(bytes, packet.payloadStart, packet.payloadEnd, packet.timestamp, packet.ssrc)
      if (key !== '') keys.push(key)
    }
    if (packet.payloadType !== 8) return
    heard.push(...samples.subarray(0, codec.decode(bytes, packet.payloadStart, packet.payloadEnd, samples, 0)))
    noticed()
  })
  const describe = async (type: 'offer' | 'answer'): Promise<string> => {
    const gathered = new Promise<void>((resolve) => connection.onGatheringStateChange((state) => state === 'complete' && resolve()))
    connection.setLocalDescription(type)
    await gathered
    return connection.localDescription()?.sdp ?? ''
  }
  const talk = (hz: number): void => {
    const bytes = Buffer.alloc(172)
    let n = 0
    const timer = setInterval(() => {
      const tone = Int16Array.from({ length: 160 }, (_, i) => 8000 * Math.sin((2 * Math.PI * hz * (n * 160 + i)) / 8000))
      writeRtpHeader(bytes, 8, n === 0, n, n * 160, 4711)
      codec.encode(tone, bytes, 12)
      n++
      if (track.isOpen()) track.sendMessageBinary(bytes)
    }, 20)
    t.after(() => clearInterval(timer))
  }
  const hears = (hz: number): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>()
    noticed = () => {
      if (heard.length >= 1600 && toneLevel(heard.slice(-1600), hz, 8000) >= -20) resolve()
    }
    return within(60_000, `no ${hz} Hz`, promise)
  }
  return { connection, describe, talk, hears, keys }
}
