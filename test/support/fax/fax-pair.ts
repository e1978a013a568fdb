import { join } from 'node:path'
import type { FaxOutcome } from '#media/fax/engine.ts'
import { FaxRun, type FaxSettings } from '#media/fax/fax-run.ts'
import { loadSpandsp } from '#media/fax/spandsp.ts'
import { drawFaxPage, readFaxTiff, writeFaxTiff, type FaxPage } from './fax-pages.ts'
import { temporaryFolder, type Scope } from '../machine/temporary-folder.ts'

const remote = { address: '127.0.0.1', port: 1 }
export const audioSettings = { kind: 'audio', remote, alsoFrom: [], codec: 'PCMA' } as const satisfies FaxSettings
export const t38Settings = { kind: 't38', remote, alsoFrom: [] } as const satisfies FaxSettings
export const framesPerSecond = 50

/** One of two machines, connected by a line as fast as the computer. */
export interface FaxEnd {
  run: FaxRun
  events: string[]
  outcome: FaxOutcome | undefined
  /** Packets in transit to the other. */
  sent: Uint8Array[]
}

const machine = (calling: boolean): FaxEnd => {
  const events: string[] = []
  const sent: Uint8Array[] = []
  const observer = {
    settled: () => void events.push('settled'),
    page: (pages: number) => void events.push(`page ${pages}`),
    done: (outcome: FaxOutcome) => void (made.outcome = outcome),
  }
  const send = (bytes: Uint8Array): void => void sent.push(Uint8Array.from(bytes))
  const made: FaxEnd = { run: new FaxRun({ library: loadSpandsp(), calling, send, observer }), events, outcome: undefined, sent }
  return made
}

export type Way = (bytes: Uint8Array) => Uint8Array | undefined

export interface FaxPair {
  caller: FaxEnd
  called: FaxEnd
  pages: FaxPage[]
  /** Output file. */
  file: string
  received(): Promise<FaxPage[]>
  /** Runs until both are done, or for this many seconds of call time. A packet in transit may be changed or dropped. */
  pass: (seconds?: number, there?: Way, back?: Way) => number
}

const fileOf = (folder: string, name: string): string => join(folder, `${name}.tif`)

const threePages = (): FaxPage[] => [1, 2, 3].map((number) => drawFaxPage(number))

/** Fax machines with jobs, not yet connected. */
export const startFaxPair = async (t: Scope, firstPage = 0, pages = threePages()): Promise<FaxPair> => {
  const folder = await temporaryFolder(t)
  await writeFaxTiff(fileOf(folder, 'sent'), pages)
  const caller = machine(true)
  const called = machine(false)
  t.after(() => [caller, called].map(({ run }) => run.close()))
  caller.run.start({ kind: 'send', file: fileOf(folder, 'sent'), firstPage, station: '+49 211 1', header: 'Offhook' })
  const file = fileOf(folder, 'received')
  called.run.start({ kind: 'receive', file, station: '+49 30 2' })
  const carry = (from: FaxEnd, to: FaxEnd, way: Way): void => {
    for (const bytes of from.sent.splice(0).map(way)) if (bytes) to.run.receive(bytes)
  }
  const pass = (seconds = 300, there: Way = (bytes) => bytes, back = there): number => {
    for (let frame = 1; frame <= seconds * framesPerSecond; frame++) {
      for (const { run } of [caller, called]) run.tick()
      carry(caller, called, there)
      carry(called, caller, back)
      if (caller.outcome && called.outcome) return frame / framesPerSecond
    }
    return seconds
  }
  return { caller, called, pages, file, received: () => readFaxTiff(t, file), pass }
}
