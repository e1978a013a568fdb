import { atMost } from '#core/kernel/work/waiting.ts'
import { randomUUID } from 'node:crypto'
import type { Call } from '#core/telephone/call/call.ts'
import { languageOf } from '#core/telephone/call/state/account-language.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { Leg } from '#core/kernel/ports/telephony.ts'
import type { Sound, PromptName } from '#core/kernel/ports/audio.ts'
import type { Outcome, Plan } from '../plan/plan.ts'
import { type Search, pickUp } from '../search/search.ts'

const maxMessageMs = 3 * 60 * 1000

/** Answers, plays the greeting and records after the tone: until the caller hangs up or presses #, at most three minutes. */
export const takeMessage = async (search: Search, { place, called }: Plan, voicemailId: string): Promise<Outcome> => {
  const { call, waiting, context } = search
  const { read } = context.store
  const voicemail = place && (await read.voicemails.find(place.accountId, voicemailId))
  if (!voicemail || !waiting) return 'unavailable'
  const { accountId } = place
  if (await context.mayRecord(accountId)) return 'unavailable'
  const greeting = (await ownGreeting(read, accountId, voicemailId)) ?? (await standardGreeting(call, accountId))
  if (call.end) return 'normal'

  const { extension, userId, alias } = place
  const taken = { voicemailId, extension, userId, called: { number: called, alias } }
  call.details.takesMessage(accountId, taken, { byCallee: waiting.role === 'callee' })
  search.taken({ kind: 'voicemail', accountId })
  if (!call.accounts.hasPhoneOf(accountId)) call.details.left(accountId, context.clock.now())
  await pickUp(waiting.leg)
  await waiting.leg.audio.play(greeting).done
  await waiting.leg.audio.play({ tone: 'beep' }).done
  if (call.end) return 'taken'
  record(call, waiting.leg, accountId)
  await spoken(call, waiting.leg)
  call.finish({ by: 'callee', reason: 'callee_hangup', cause: 'normal' })
  return 'taken'
}

const ownGreeting = async (tables: Tables, accountId: string, voicemailId: string): Promise<Sound | undefined> => {
  const active = (await tables.voicemails.greetings(accountId, voicemailId)).find((greeting) => greeting.active)
  const stored = active && (await tables.voicemails.findGreeting(accountId, voicemailId, active.id))
  return stored && { wav: Buffer.from(stored.audio, 'base64') }
}

const standardGreeting = async (call: Call, accountId: string): Promise<Sound> => ({
  prompt: 'voicemail-greeting',
  language: await languageOf(call.context, accountId),
})

/** The message is known only when the recording has stopped, however the call ended. */
const record = (call: Call, leg: Leg, accountId: string): void => {
  const id = randomUUID()
  const { clock, recordingFiles } = call.context
  const origin = { id, at: clock.now(), ...(recordingFiles.place !== undefined && { place: recordingFiles.place }) }
  const recording = leg.audio.record({ accountId, id })
  call.books.recordingBegins({ accountId, kind: 'VOICEMAIL', ...origin })
  call.beforeClose(async () => call.details.leftMessage(accountId, { ...origin, ...(await recording.stop()) }))
}

/** Resolves when the message is complete. */
const spoken = async (call: Call, leg: Leg): Promise<void> => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const stopObserving = leg.observe({ dtmf: (digit) => digit === '#' && resolve() })
  await atMost(call.context.clock, maxMessageMs, Promise.race([promise, call.over]), undefined)
  stopObserving()
}

const maxMs = 15_000

/** Plays the reason as early media: no charge, logged as missed. */
export const announce = async (search: Search, { place }: Plan, prompt: PromptName): Promise<Outcome> => {
  const { call, waiting, ringback, context } = search
  if (!place || !waiting) return 'unavailable'
  const language = await context.tasks.track(languageOf(context, place.accountId))
  await ringback.open()
  ringback.stop()
  if (call.end) return 'normal'
  const playing = waiting.leg.audio.play({ prompt, language })
  await atMost(context.clock, maxMs, Promise.race([playing.done, call.over]), undefined)
  playing.stop()
  return call.end ? 'normal' : 'unavailable'
}
