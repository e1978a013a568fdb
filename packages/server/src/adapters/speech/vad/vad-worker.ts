import { setTimeout as sleep } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { reportMemory } from '#media/thread/thread.ts'
import { EnergyDetector } from './energy-detector.ts'
import type { VadCommand, VadEvent, VadThreadSettings } from './vad-pool.ts'
import { SileroDetector } from './silero-detector.ts'
import { StreamVad } from './stream-vad.ts'

/** VAD thread: polls all its legs every few milliseconds. */
const settings = workerData as VadThreadSettings
reportMemory()
const pollIntervalMs = 10

const detector = settings.detector === 'silero' ? await SileroDetector.load(settings.model ?? '') : new EnergyDetector()
const vadPool = new Map<number, StreamVad>()
let events: VadEvent[] = []
let working = false

const listen = ({ ear: vad, sound, track, beeps }: Extract<VadCommand, { do: 'listen' }>): void => {
  const observer = {
    noticed: (at: number) => void events.push({ tell: 'noticed', ear: vad, at }),
    started: (at: number) => void events.push({ tell: 'started', ear: vad, at }),
    stopped: (at: number) => void events.push({ tell: 'stopped', ear: vad, at }),
  }
  const beep = beeps ? (at: number) => void events.push({ tell: 'beep', ear: vad, at }) : undefined
  vadPool.set(vad, new StreamVad({ sound, track, detector, cancelsEcho: settings.detector === 'silero', observer, beep }))
}

/** Confirmed immediately. */
const close = (vad: number): void => {
  vadPool.delete(vad)
  events.push({ tell: 'closed', ear: vad })
  send()
}

/** Processes all windows; more than one per stream only after a delay. */
const look = (): void => {
  for (let more = true; more;) {
    more = false
    for (const vad of vadPool.values()) {
      if (!vad.nextWindow()) continue
      vad.judge(detector.probability(vad))
      more = true
    }
    send()
  }
  for (const [id, vad] of vadPool) {
    if (!vad.over) continue
    vadPool.delete(id)
    vad.end()
    events.push({ tell: 'over', ear: id })
  }
  send()
}

const send = (): void => {
  if (events.length > 0) parentPort?.postMessage(events, [])
  events = []
}

const work = async (): Promise<void> => {
  working = true
  while (vadPool.size > 0) {
    const from = performance.now()
    look()
    await sleep(Math.max(1, pollIntervalMs - (performance.now() - from)))
  }
  working = false
}

parentPort?.on('message', (command: VadCommand) => {
  if (command.do === 'end') process.exit()
  if (command.do === 'close') close(command.ear)
  else listen(command)
  if (!working) void work()
})
