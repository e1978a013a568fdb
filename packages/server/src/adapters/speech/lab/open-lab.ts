import { extname } from 'node:path'
import type { Lab, LabFindings, LabWork, Stt, SttOptions, SttStream, Transcript } from '#core/kernel/ports/speech.ts'
import { SoundTrack } from '#core/kernel/sound/sound-track.ts'
import { FairQueue } from '#core/kernel/work/fair-queue.ts'
import type { VadThreadSettings } from '../vad/vad-pool.ts'
import { startModelThread } from '../model-thread.ts'
import type { LabAnswer, LabEvent, LabThreadSettings } from './lab-worker.ts'

/** Calls come first: each recording keeps one processor busy. One recording per account leaves room for another account. */
const limits = { maxRunning: 2, maxRunningPerKey: 1, maxWaiting: 0 }

interface LabOptions extends VadThreadSettings {
  stt: Stt
}

interface OpenLab extends Lab {
  /** Cancels running analyses. */
  close(): Promise<void>
}

export const openLab = ({ stt, detector, model }: LabOptions): OpenLab => {
  const running = new Set<Listening>()
  const queue = new FairQueue(limits)
  return {
    run(accountId, work) {
      return queue.run(accountId, () => {
        const listening = listen({ detector, model, work }, stt)
        running.add(listening)
        return listening.findings.finally(() => running.delete(listening))
      })
    },
    async close() {
      for (const { stop } of running) stop()
      await Promise.allSettled([...running].map(({ findings }) => findings))
    },
  }
}

interface Listening {
  findings: Promise<LabFindings>
  stop: () => void
}

/** Analyses one recording in a separate thread. */
const listen = (settings: VadThreadSettings & { work: LabWork }, stt: Stt): Listening => {
  const script = new URL(`./lab-worker${extname(import.meta.filename)}`, import.meta.url)
  const { worker, ended } = startModelThread(script, 'lab', settings satisfies LabThreadSettings)
  const recogniser = new TrackRecogniser(stt)
  let findings: LabFindings | undefined
  worker.on('message', (event: LabEvent) => {
    if (event.tell === 'heard') recogniser.track = new SoundTrack(event.track)
    if (event.tell === 'done') findings = event.findings
    if (event.tell === 'ask') void recogniser.answer(event).then((answer) => worker.postMessage(answer, []))
  })
  return {
    stop: () => worker.postMessage('end', []),
    findings: ended.then((reason) => {
      recogniser.close()
      if (!findings) throw reason ?? new Error('the lab ended before it was done')
      return findings
    }),
  }
}

/** Transcribes sections of one recording. */
class TrackRecogniser {
  readonly #stt: Stt
  readonly #streams = new Map<string, SttStream>()
  readonly #stopped = new AbortController()
  track = SoundTrack.of(0.02)

  constructor(stt: Stt) {
    this.#stt = stt
  }

  async answer({ question, options, from, to, expected }: Extract<LabEvent, { tell: 'ask' }>): Promise<LabAnswer> {
    try {
      const transcript: Transcript = await this.#stream(options).transcribe(from, to, this.#stopped.signal, expected)
      return { question, transcript }
    } catch (error) {
      return { question, failure: error instanceof Error ? error.message : String(error) }
    }
  }

  close(): void {
    this.#stopped.abort()
    for (const stream of this.#streams.values()) stream.close()
  }

  #stream(options: SttOptions): SttStream {
    const key = JSON.stringify(options)
    const stream = this.#streams.get(key) ?? this.#stt.open(this.track, options, { failed: () => {} })
    this.#streams.set(key, stream)
    return stream
  }
}
