// test: own process, real time
import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { test } from 'node:test'
import type { PeerSettings } from './webrtc-protocol.ts'
import { WebRtcPeer, type WebRtcLibrary } from './webrtc-peer.ts'

/** The part of the library that a connection needs; `receive` is called as by its threads when a packet arrives. */
const openLibrary = () => {
  let receive = (_bytes: Buffer): void => assert.fail('nobody listens')
  class Audio {
    addAudioCodec(): void {}
    addSSRC(): void {}
  }
  class PeerConnection {
    #gathered = (_state: string): void => {}
    onStateChange(): void {}
    onGatheringStateChange(listener: (state: string) => void): void {
      this.#gathered = listener
    }
    addTrack() {
      return { isOpen: () => true, sendMessageBinary: () => true, onMessage: (listener: typeof receive) => void (receive = listener) }
    }
    setLocalDescription(): void {
      this.#gathered('complete')
    }
    localDescription() {
      return { type: 'offer', sdp: 'v=0\r\nm=audio 9 UDP/TLS/RTP/SAVPF 8\r\na=sendrecv\r\n' }
    }
    close(): void {}
  }
  return { library: { Audio, PeerConnection } as unknown as WebRtcLibrary, receive: (bytes: Buffer) => receive(bytes) }
}

test('ignores a packet that is delivered after close', async (t) => {
  const stream = createSocket('udp4')
  t.after(() => stream.close())
  await new Promise<void>((resolve) => stream.bind(0, '127.0.0.1', resolve))
  const { library, receive } = openLibrary()
  const settings: PeerSettings = {
    formats: [{ payloadType: 8, encoding: 'PCMA/8000' }],
    direction: 'sendrecv',
    streamPort: stream.address().port,
  }
  const peer = await WebRtcPeer.open(library, { relayAddress: '127.0.0.1' }, settings, { connected() {}, ended() {} })
  await peer.offer()
  const packet = Buffer.alloc(172, 0x80)
  packet[1] = 8
  const arrived = once(stream, 'message')
  receive(packet)
  assert.deepEqual((await arrived)[0], packet)
  peer.close()
  receive(packet)
})
