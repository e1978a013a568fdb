import { CannotStart } from '#settings/cannot-start.ts'
import { fail } from './terminal/fail.ts'
import { Mistake } from './terminal/mistake.ts'
import { settingsOf } from './start/settings.ts'
import type { RunningSpeechService } from '#wiring/serve-speech.ts'

/** Sentences end within this time. */
const maxDrainSeconds = 30

export const speech = async (): Promise<void> => {
  const settings = settingsOf(process.env)
  const { startSpeechService } = await import('#wiring/serve-speech.ts')
  const starting = startSpeechService(settings).catch((error: unknown) => {
    throw error instanceof CannotStart ? new Mistake(1, error.message) : error
  })
  endOnSignal(starting, Math.min(maxDrainSeconds, settings.OFFHOOK_DRAIN_SECONDS) * 1000)
  const { url } = await starting
  process.stdout.write(`${JSON.stringify({ ready: true, url })}\n`)
}

/** SIGTERM lets running requests end; a second signal ends the process immediately. */
const endOnSignal = (starting: Promise<RunningSpeechService>, drainMs: number): void => {
  let ending = false
  const end = (signal: NodeJS.Signals): void => {
    if (ending) process.exit(1)
    ending = true
    starting
      .then(async (running) => {
        if (signal === 'SIGTERM') await running.drain(drainMs)
        await running.close()
      })
      .then(() => process.exit(0), fail)
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, end)
  process.on('SIGHUP', () => void starting.then((running) => running.reload()).catch(() => {}))
}
