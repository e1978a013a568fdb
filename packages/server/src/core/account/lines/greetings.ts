import { Problem } from '@offhook/contract/problem.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { Greeting } from '#core/kernel/ports/store/line/voicemails.ts'
import type { GreetingAudio } from './greeting-wav.ts'

/** Two MiB each are kept in the database. */
const max = 20

/** As long as a voicemail has greetings, exactly one of them is active; without any it plays the standard one. */
export const addGreeting = async (
  tables: Tables,
  clock: Clock,
  accountId: string,
  { voicemail, alias, sound }: { voicemail: string; alias: string; sound: GreetingAudio },
): Promise<Greeting> => {
  await tables.accounts.lock(accountId) // so that two at once cannot both be the first, or the last one allowed
  const present = await tables.voicemails.greetings(accountId, voicemail)
  if (present.length >= max) throw new Problem('conflict', `A voicemail has at most ${max} greetings.`)
  const { audio, durationMs } = sound
  const active = present.length === 0
  const id = await tables.voicemails.insertGreeting(accountId, voicemail, { alias, audio, durationMs, active, at: clock.now() })
  return { id, alias, active, durationMs }
}

export const chooseGreeting = async (
  tables: Tables,
  accountId: string,
  { voicemail, id, active }: { voicemail: string; id: number; active: boolean },
): Promise<void> => {
  await tables.accounts.lock(accountId)
  const greeting = (await tables.voicemails.greetings(accountId, voicemail)).find((one) => one.id === id)
  if (!greeting) throw new Problem('greeting_not_found')
  if (greeting.active === active) return
  if (!active) throw new Problem('conflict', 'One greeting is always active; make another one active instead.')
  await tables.voicemails.activateGreeting(accountId, voicemail, id)
}

export const removeGreeting = async (tables: Tables, accountId: string, voicemail: string, id: number): Promise<void> => {
  await tables.accounts.lock(accountId)
  if (!(await tables.voicemails.removeGreeting(accountId, voicemail, id))) throw new Problem('greeting_not_found')
  const left = await tables.voicemails.greetings(accountId, voicemail)
  const latest = left.at(-1)
  if (latest && !left.some(({ active }) => active)) await tables.voicemails.activateGreeting(accountId, voicemail, latest.id)
}
