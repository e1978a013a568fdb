import type { StreamSettings } from '../engine.ts'
import type { RtpPacket } from '../rtp/rtp.ts'
import type { SampleRing } from '../thread/sample-ring.ts'

/** For a stream whose far end is in this process: 16 kHz, without network. */
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

/** Output of a stream. */
export interface Outlet {
  /** Time of the last forwarded packet of another leg. */
  readonly relayedMs: number
  readonly sendsDtmf: boolean
  dtmf(digits: string): void
  frame(pcm: Int16Array, nowMs: number): number
  relay(packet: RtpPacket, nowMs: number): void
}

/** In-process far end: frames are exchanged through shared memory, without packets or DTMF events. */
export class PcmLink implements Outlet {
  readonly relayedMs = -Infinity
  readonly sendsDtmf = false
  readonly #input: SampleRing
  readonly #output: SampleRing

  constructor(input: SampleRing, output: SampleRing) {
    this.#input = input
    this.#output = output
  }

  /** The far end's sound, with silence for gaps. */
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
