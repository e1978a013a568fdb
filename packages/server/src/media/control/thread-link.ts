import type { StreamSettings } from '../engine.ts'
import type { StreamHandle } from './stream-handle.ts'

const linkSettings: Omit<StreamSettings, 'remote'> = {
  codec: 'G722',
  payloadType: 9,
  dtmfPayloadType: 101,
  ptimeMs: 20,
  send: true,
  receive: true,
  srtp: undefined,
  alsoFrom: [],
}

/** Two streams of ours on two threads that are connected with each other: so a room can be on both. */
export class ThreadLink {
  /** undefined: no port is left, or a thread died. */
  readonly ends: Promise<[StreamHandle, StreamHandle] | undefined>
  readonly #opening: [Promise<StreamHandle>, Promise<StreamHandle>]

  constructor(address: string, opening: [Promise<StreamHandle>, Promise<StreamHandle>]) {
    this.ends = Promise.allSettled(opening).then(([one, other]) => {
      if (one.status === 'rejected' || other.status === 'rejected') return undefined
      one.value.configure({ ...linkSettings, remote: { address, port: other.value.localPort } })
      other.value.configure({ ...linkSettings, remote: { address, port: one.value.localPort } })
      return [one.value, other.value]
    })
    this.#opening = opening
  }

  close(): void {
    for (const end of this.#opening)
      void end.then(
        (stream) => stream.close(),
        () => {},
      )
  }
}
