import { atMost } from '#core/kernel/work/waiting.ts'
import type { Call } from '#core/telephone/call/call.ts'
import { languageOf } from '#core/telephone/call/state/account-language.ts'
import type { HistoryEntry } from '#core/kernel/ports/store/call.ts'
import type { Leg } from '#core/kernel/ports/telephony.ts'
import type { PromptName, Sound } from '#core/kernel/ports/audio.ts'
import type { Outcome } from '../plan/plan.ts'
import { type Search, pickUp } from '../search/search.ts'
import { extensionsOf } from '#core/account/history/own-extensions.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import { concurrentErase, eraseEntry, recordingIdsOf } from '#core/telephone/recordings/erase-recordings.ts'
import { unlessAway } from '#core/telephone/recordings/recording-sweep.ts'
import type { RoutingContext } from '../search/routing-context.ts'
import { auditByUser } from '#core/kernel/audit/audit.ts'

/** Milliseconds a user may take to choose a key. */
const thinkingMs = 5_000

/** Plays the caller's messages, unheard first: 1 repeats, 2 or # next, 3 erases, * ends; continues without a key. */
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

/** Plays a message and returns the key. A pressed key marks it as read; a hang-up before the end does not. */
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

  /** Returns the key pressed during playback, which stops the sound. */
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

/** More than a user listens to. */
const max = 100

interface Owner {
  accountId: string
  userId: string
}

/** Messages in the voicemails of a user's lines and groups. */
class Mailbox {
  readonly #context: RoutingContext
  readonly #owner: Owner

  constructor(context: RoutingContext, owner: Owner) {
    this.#context = context
    this.#owner = owner
  }

  /** Unheard first, each group newest first. */
  async messages(): Promise<HistoryEntry[]> {
    const { accountId, userId } = this.#owner
    const { read } = this.#context.store
    const connectionIds = (await extensionsOf(read, accountId, userId)).filter((extension) => extension.startsWith('v'))
    const entries = await read.history.list(accountId, { types: ['VOICEMAIL'], connectionIds, archived: false }, { limit: max })
    return entries.toSorted((one, other) => Number(one.read) - Number(other.read))
  }

  /** Undefined when the file is gone, or at a machine that is away. */
  async sound(message: HistoryEntry): Promise<Sound | undefined> {
    const { accountId } = this.#owner
    const [id] = recordingIdsOf(message)
    const { store, recordingFiles } = this.#context
    const recording = id === undefined ? undefined : await store.read.recordings.find(accountId, id)
    const file = recording && (await recordingFiles.open(recording).catch(unlessAway))
    if (!file) return undefined
    try {
      return { wav: await file.read(0, file.bytes) }
    } finally {
      await file.close()
    }
  }

  async heard(message: HistoryEntry): Promise<void> {
    const { accountId } = this.#owner
    await this.#write(async (tables, at) => {
      if (!message.read) await tables.history.update(accountId, message.id, { read: true }, at)
      for (const id of recordingIdsOf(message).slice(0, 1))
        await auditByUser(tables, this.#context.clock, this.#owner, 'recording.read', id)
    })
    message.read = true
  }

  async erase(message: HistoryEntry): Promise<void> {
    const files = await this.#write(async (tables) => {
      const erased = await eraseEntry(tables, this.#context.clock, this.#owner.accountId, message)
      for (const { id } of erased) await auditByUser(tables, this.#context.clock, this.#owner, 'recording.erase', id)
      return erased
    })
    await concurrentErase(this.#context.recordingFiles, files)
  }

  #write<T>(work: (tables: Tables, at: number) => Promise<T>): Promise<T> {
    const { store, tasks, clock } = this.#context
    return tasks.track(store.write((tables) => work(tables, clock.now())))
  }
}
