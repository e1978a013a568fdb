import { Refusal } from './provider.ts'

/** How many names are remembered: accounts choose them freely. */
const maxRemembered = 200

/** Which of a provider's voices is asked for: the one that is wished, unless the provider has shown that it does not know it. */
export class VoiceChoice {
  readonly #unknown = new Set<string>()

  async ask<T>(requested: string | undefined, usual: string, ask: (voice: string) => Promise<T>): Promise<T> {
    const voice = requested === undefined || this.#unknown.has(requested) ? usual : requested
    try {
      return await ask(voice)
    } catch (error) {
      if (voice === usual || !(error instanceof Refusal)) throw error
      const reply = await ask(usual)
      this.#remember(voice)
      return reply
    }
  }

  #remember(unknown: string): void {
    if (this.#unknown.size >= maxRemembered) this.#unknown.clear()
    this.#unknown.add(unknown)
  }
}
