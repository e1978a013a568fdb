import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { AssistantEvent, EventType } from '@offhook/contract/assistant/events.ts'
import { temporaryFolder } from '../machine/temporary-folder.ts'
import { until } from '../machine/peer-process.ts'
import type { AssistantEndpoint } from '../peers/assistant-endpoint.ts'
import type { Phone } from '../peers/baresip.ts'
import type { Exchange } from '../service/exchange.ts'
import { loudParts, secondsOfSound } from '../sound/tones.ts'
import { writeSamples } from '../sound/wav.ts'

const rate = 8_000
/** A softphone ends its call where its file ends. */
const silenceAfterSeconds = 90
/** Recognisers and voices share the machine with everything else. */
const timeoutMs = 60_000

/** Caller with a softphone who speaks on a condition instead of a fixed schedule. */
export class Speaker {
  readonly phone: Phone & { deviceId: string }
  readonly #folder: string
  #said = 0

  private constructor(phone: Phone & { deviceId: string }, folder: string) {
    this.phone = phone
    this.#folder = folder
  }

  static async open(t: TestContext, exchange: Exchange): Promise<Speaker> {
    const folder = await temporaryFolder(t)
    const silence = await writeSpeech(folder, 'silence', new Int16Array())
    return new Speaker(await exchange.newPhone(t, { says: silence }), folder)
  }

  async says(samples: Int16Array): Promise<void> {
    await this.phone.says(await writeSpeech(this.#folder, String(this.#said++), samples))
  }

  async hearsSound(seconds: number): Promise<void> {
    await until(`${seconds} s of sound`, async () => secondsOfSound(await this.#heard(), rate) >= seconds, timeoutMs)
  }

  /** Waits for this many more seconds of sound. */
  async hearsMore(seconds: number): Promise<void> {
    await this.hearsSound(secondsOfSound(await this.#heard(), rate) + seconds)
  }

  /** Resolves when the other side has spoken for at least this long and is silent for a second and a half. */
  async hasTheFloor(seconds: number): Promise<void> {
    const silent = async (): Promise<boolean> => {
      const heard = await this.#heard()
      return secondsOfSound(heard, rate) >= seconds && secondsOfSound(heard.subarray(-1.5 * rate), rate) === 0
    }
    await until(`silence after ${seconds} s of sound`, silent, timeoutMs)
  }

  /** Transcript of the newest call, after the speech has ended: a phone that hangs up immediately would miss the last word. */
  async understood(hear: (sound: Float32Array, language: string) => Promise<string>, language: string): Promise<string> {
    await this.hasTheFloor(0.5)
    return this.recognised(hear, language)
  }

  /** Transcript of the recorded sound; no more will come. */
  async recognised(hear: (sound: Float32Array, language: string) => Promise<string>, language: string): Promise<string> {
    const texts: string[] = []
    for (const part of loudParts(await this.#heard(), rate)) texts.push(await hear(part, language))
    return texts.join(' ')
  }

  async #heard(): Promise<Float32Array> {
    return (await this.phone.heard()).at(-1)?.channels[0] ?? new Float32Array()
  }
}

const writeSpeech = async (folder: string, name: string, samples: Int16Array): Promise<string> => {
  const file = join(folder, `${name}.wav`)
  const withSilence = new Int16Array(samples.length + silenceAfterSeconds * rate)
  withSilence.set(samples)
  await writeSamples(file, withSilence, rate)
  return file
}

/** Calls of one number, as the assistant's endpoint sees them. */
export class CallsOf {
  readonly number: string
  readonly #endpoint: AssistantEndpoint

  constructor(endpoint: AssistantEndpoint, number: string) {
    this.number = number
    this.#endpoint = endpoint
  }

  ofType<T extends EventType>(type: T): (AssistantEvent & { type: T })[] {
    return this.#events.filter((event): event is AssistantEvent & { type: T } => event.type === type)
  }

  /** Summary of events, for failure messages. */
  get story(): string {
    return this.#events.map((event) => ('text' in event ? `${event.type} “${event.text}”` : event.type)).join(', ')
  }

  /** Deduplicated: an event without a timely response is sent again. */
  get #events(): AssistantEvent[] {
    const mine = this.#endpoint.events.filter(({ body }) => body.session.phone_number === digitsOf(this.number))
    return [...new Map(mine.toReversed().map(({ headers, body }) => [headers['webhook-id'], body])).values()].toReversed()
  }

  /** Resolves with the `nth` event of this type, from 1. */
  async onEvent<T extends EventType>(type: T, nth = 1): Promise<AssistantEvent & { type: T }> {
    try {
      return await until(`${type} ${nth}`, () => this.ofType(type)[nth - 1], timeoutMs)
    } catch (error) {
      throw new Error(`so far: ${this.story}`, { cause: error })
    }
  }

  /** Resolves when the assistant has said this, or the part that was heard. */
  async spoken(text: string): Promise<AssistantEvent & { type: 'assistant_speak' }> {
    try {
      return await until(`“${text}”`, () => this.ofType('assistant_speak').find((event) => event.text === text), timeoutMs)
    } catch (error) {
      throw new Error(`so far: ${this.story}`, { cause: error })
    }
  }
}

export const digitsOf = (number: string): string => number.replace('+', '')
