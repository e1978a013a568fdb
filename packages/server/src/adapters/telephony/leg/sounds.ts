import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PromptName, Sound } from '#core/kernel/ports/audio.ts'
import type { Pcm, PcmRate } from '#media/engine.ts'
import { holdMusic } from '#media/sound/hold-music.ts'
import { tones } from '#media/sound/tone.ts'
import { readSound, readWav, WavError } from '#media/sound/wav.ts'
import { inSharedMemory } from '#media/thread/shared-memory.ts'
import { promptsFolder } from '#places.ts'

const fallbackLanguage = 'en'
const phoneRate = 8000

/** Sounds by meaning. Built-in ones are read or made once and shared with the media workers instead of copied. */
export class Sounds {
  readonly #known = new Map<string, Pcm>()
  /** Sounds for several legs are decoded once. */
  readonly #decoded = new WeakMap<Uint8Array, Pcm>()

  pcm(sound: Sound): Pcm {
    if ('wav' in sound) return this.#decode(sound.wav)
    if ('tone' in sound) return this.#once(`tone ${sound.tone}`, () => tones[sound.tone](phoneRate))
    if ('music' in sound) return this.#once('music', () => holdMusic(phoneRate))
    const language = /^[a-z]{2}$/.test(sound.language) ? sound.language : fallbackLanguage
    return this.#once(`prompt ${language} ${sound.prompt}`, () => readSound(readFileSync(promptFile(sound.prompt, language)), phoneRate))
  }

  #decode(file: Uint8Array): Pcm {
    const known = this.#decoded.get(file) ?? decode(file)
    this.#decoded.set(file, known)
    return known
  }

  #once(name: string, make: () => Int16Array): Pcm {
    const known = this.#known.get(name)
    if (known) return known
    const pcm = { samples: inSharedMemory(make()) }
    this.#known.set(name, pcm)
    return pcm
  }
}

const promptFile = (name: PromptName, language: string): string => {
  const file = join(promptsFolder, language, `${name}.wav`)
  return existsSync(file) ? file : join(promptsFolder, fallbackLanguage, `${name}.wav`)
}

/** A customer's file was validated at upload; one that is unreadable nevertheless is silent. */
const decode = (file: Uint8Array): Pcm => {
  try {
    const { rate, samples } = readWav(file)
    return isPcmRate(rate) ? { samples, rate } : { samples: readSound(file, phoneRate) }
  } catch (error) {
    if (!(error instanceof WavError)) throw error
    return { samples: new Int16Array() }
  }
}

const isPcmRate = (rate: number): rate is PcmRate => rate === 8000 || rate === 16_000
