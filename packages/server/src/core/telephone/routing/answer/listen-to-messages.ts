import { atMost } from '#core/kernel/work/at-most.ts'
import type { Call } from '#core/telephone/call/call.ts'
import { languageOf } from '#core/telephone/call/state/account-language.ts'
import type { HistoryEntry } from '#core/kernel/ports/store/call/history.ts'
import type { Leg, PromptName, Sound } from '#core/kernel/ports/telephony.ts'
import { Mailbox } from './mailbox.ts'
import type { Outcome } from '../plan/plan.ts'
import type { Search } from '../search/search.ts'
import { pickUp } from '../search/pick-up.ts'

/** How long a user may think about what to do with a message. */
const thinkingMs = 5_000

/** Says the caller's messages, the unheard first: 1 again, 2 or # the next one, 3 erases it, * ends; without a key it goes on. */
export const listenToMessages = async (search: Search): Promise<Outcome> => {
  const { call, waiting, context } = search
  if (!waiting?.station) return 'unavailable'
  const mailbox = new Mailbox(context, waiting.station)
  const [messages, language] = await Promise.all([
    context.tasks.track(mailbox.messages()),
    languageOf(call.context, waiting.station.accountId),
  ])
  if (call.end) return 'normal'
  search.taken({ kind: 'voicemail', accountId: undefined })
  await pickUp(waiting.leg)
  const listener = new Listener(call, waiting.leg, language)
  try {
    await sayAll(listener, mailbox, messages)
  } finally {
    listener.close()
  }
  call.finish({ by: 'callee', reason: 'callee_hangup', cause: 'normal' })
  return 'taken'
}

const sayAll = async (listener: Listener, mailbox: Mailbox, messages: readonly HistoryEntry[]): Promise<void> => {
  for (const message of messages) {
    const sound = await mailbox.sound(message)
    if (!sound) continue
    if ((await sayOne(listener, mailbox, message, sound)) === 'end') return
  }
  await listener.say('no-more-messages')
}

const sayOne = async (listener: Listener, mailbox: Mailbox, message: HistoryEntry, sound: Sound): Promise<'next' | 'end'> => {
  let key = await listener.say(message.read ? 'heard-message' : 'new-message')
  while (!listener.gone && (key === undefined || key === '1')) {
    const outcome = await hear(listener, mailbox, message, sound)
    if (outcome !== '1') key = outcome ?? '2'
  }
  if (listener.gone || key === '*') return 'end'
  if (key !== '3') return 'next'
  await mailbox.erase(message)
  return (await listener.say('message-erased')) === '*' ? 'end' : 'next'
}

/** What is to become of it. A pressed key means heard; a hang-up before the end does not. */
const hear = async (listener: Listener, mailbox: Mailbox, message: HistoryEntry, sound: Sound): Promise<string | undefined> => {
  const key = await listener.play(sound)
  if (listener.gone) return undefined
  await mailbox.heard(message)
  return key ?? (await listener.say('message-menu')) ?? (await listener.think())
}

/** A caller who hears prompts and presses keys. */
class Listener {
  readonly #call: Call
  readonly #leg: Leg
  readonly #language: string
  readonly #stopObserving: () => void
  #pressed: (key: string) => void = () => {}

  constructor(call: Call, leg: Leg, language: string) {
    this.#call = call
    this.#leg = leg
    this.#language = language
    this.#stopObserving = leg.observe({ dtmf: (key) => /[123*#]/.test(key) && this.#pressed(key) })
  }

  get gone(): boolean {
    return this.#call.end !== undefined
  }

  close(): void {
    this.#stopObserving()
  }

  say(prompt: PromptName): Promise<string | undefined> {
    return this.play({ prompt, language: this.#language })
  }

  /** The key that was pressed meanwhile, which is the end of the sound. */
  async play(sound: Sound): Promise<string | undefined> {
    if (this.gone) return undefined
    const key = this.#nextKey()
    const playback = this.#leg.audio.play(sound)
    const pressed = await Promise.race([key, playback.done.then(() => undefined), this.#call.over.then(() => undefined)])
    playback.stop()
    return pressed
  }

  async think(): Promise<string | undefined> {
    if (this.gone) return undefined
    const key = Promise.race([this.#nextKey(), this.#call.over.then(() => undefined)])
    return atMost(this.#call.context.clock, thinkingMs, key, undefined)
  }

  #nextKey(): Promise<string> {
    return new Promise((resolve) => {
      this.#pressed = resolve
    })
  }
}
