import type { StreamSettings } from '../engine.ts'
import type { RtpPacket } from '../rtp/rtp.ts'
import type { SampleRing } from '../thread/sample-ring.ts'

/** For a stream whose far end is not on the network: 16 kHz, and nothing is sent anywhere. */
export const pcmStreamSettings: StreamSettings = {
  remote: { address: '0.0.0.0', port: 0 },
  codec: 'G722',
  payloadType: 9,
  dtmfPayloadType: undefined,
  ptimeMs: 20,
  send: false,
  receive: false,
  srtp: undefined,
  alsoFrom: [],
}

/** What a stream sends to. */
export interface Outlet {
  /** When a packet of another leg was last passed on. */
  readonly relayedMs: number
  readonly sendsDtmf: boolean
  dtmf(digits: string): void
  frame(pcm: Int16Array, nowMs: number): number
  relay(packet: RtpPacket, nowMs: number): void
}

/** The far end is in this process: frames come and go through shared memory. There are neither packets nor key events. */
export class PcmLink implements Outlet {
  readonly relayedMs = -Infinity
  readonly sendsDtmf = false
  readonly #input: SampleRing
  readonly #output: SampleRing

  constructor(input: SampleRing, output: SampleRing) {
    this.#input = input
    this.#output = output
  }

  /** What the far end said, silence where nothing came. */
  take(into: Int16Array, _nowMs: number): void {
    into.fill(0, this.#input.read(into))
  }

  frame(pcm: Int16Array): number {
    this.#output.write(pcm)
    return 1
  }

  dtmf(): void {}

  relay(): void {}
}
