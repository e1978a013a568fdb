import { setTimeout as sleep } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { tellMemory } from '#media/thread/thread.ts'
import { EnergyDetector } from './energy-detector.ts'
import type { EarCommand, EarEvent, EarThreadSettings } from './ear-protocol.ts'
import { SileroDetector } from './silero-detector.ts'
import { StreamEar } from './stream-ear.ts'

/** The thread that listens: looks at all its legs every few milliseconds. */
const settings = workerData as EarThreadSettings
tellMemory()
const lookEveryMs = 10

const detector = settings.detector === 'silero' ? await SileroDetector.load(settings.model ?? '') : new EnergyDetector()
const ears = new Map<number, StreamEar>()
let events: EarEvent[] = []
let working = false

const listen = ({ ear, sound, track, beeps }: Extract<EarCommand, { do: 'listen' }>): void => {
  const observer = {
    noticed: (at: number) => void events.push({ tell: 'noticed', ear, at }),
    started: (at: number) => void events.push({ tell: 'started', ear, at }),
    stopped: (at: number) => void events.push({ tell: 'stopped', ear, at }),
  }
  const beep = beeps ? (at: number) => void events.push({ tell: 'beep', ear, at }) : undefined
  ears.set(ear, new StreamEar({ sound, track, detector, cancelsEcho: settings.detector === 'silero', observer, beep }))
}

/** Told at once. */
const close = (ear: number): void => {
  ears.delete(ear)
  events.push({ tell: 'closed', ear })
  send()
}

/** Processes windows until none is left; more than one of each ear only after a delay. */
const look = (): void => {
  for (let more = true; more;) {
    more = false
    for (const ear of ears.values()) {
      if (!ear.nextWindow()) continue
      ear.judge(detector.probability(ear))
      more = true
    }
    send()
  }
  for (const [id, ear] of ears) {
    if (!ear.over) continue
    ears.delete(id)
    ear.end()
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
  while (ears.size > 0) {
    const from = performance.now()
    look()
    await sleep(Math.max(1, lookEveryMs - (performance.now() - from)))
  }
  working = false
}

parentPort?.on('message', (command: EarCommand) => {
  if (command.do === 'end') process.exit()
  if (command.do === 'close') close(command.ear)
  else listen(command)
  if (!working) void work()
})
